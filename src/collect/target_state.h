// What the target is at a moment: side-band of all CPUs applied in time order, shared by the
// readers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collect/event_index.h"
#include "collect/process_table.h"

#include "prof/perf/record_decoder.h"
#include "prof/perf/ring_buffer.h"

namespace prof::collect {

// A side-band record with the text it borrowed from the ring.
struct SideBandEntry {
  std::uint64_t time_ns = 0;
  std::variant<perf::MmapRecord, perf::CommRecord, perf::ForkRecord, perf::ExitRecord,
               perf::ReadRecord>
      record;
  std::string text;           // path or name
  std::uint64_t arrival = 0;  // keeps the order of a ring where times are equal
};

// Whose samples count.
struct SampleScope {
  bool cpu_wide = false;    // samples of other threads come too and are none of ours
  bool everything = false;  // -a, -C: all threads but prof's own
  std::uint32_t own_pid = 0;
  std::function<void(const std::shared_ptr<ThreadState>&)>
      adopt;  // names a thread that no side-band record announced, and its mappings
  // Reads /proc again after side-band was lost.
  std::function<void()> resync;
};

// What a sample is about, at its moment.
struct SampleContext {
  std::shared_ptr<ThreadState> thread;               // null: none of ours
  std::shared_ptr<const model::AddressSpace> space;  // never changes any more
  StackOwner stack_owner = 0;
  // Members of a group that were read with the sample, and what they counted since the last one.
  std::vector<std::pair<model::EventId, std::uint64_t>> group;
};

struct SideBandCounts {
  std::uint64_t lost = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t unattributed = 0;  // samples delivered of threads that nobody named, /proc neither
};

// All of it behind one lock, which is also that of the process table and the loading of modules: a
// reader that meets a new file holds it while the ELF headers are read (some 50 us), one that
// meets lost side-band while /proc is.
//
// A reader takes the heads of its sample rings first and calls Drain() then, so that every record
// older than its samples is known here. Records are applied in time order, up to the time of the
// sample that is asked about; another reader may have come further, and then mappings and names are
// still known for the older moment, while threads are looked up as they are now (dead ones stay for
// a second).
class TargetState {
 public:
  // `side_band` are the rings of all CPUs; `readers` is how many call Delivered().
  TargetState(const EventIndex& events, std::vector<perf::RingBuffer*> side_band,
              ProcessTable& processes, SampleScope scope, std::size_t readers);

  // Reads all side-band that is there.
  void Drain();
  // Applies what is older than the sample and says whose it is. `counted`: it will be delivered.
  [[nodiscard]] SampleContext Resolve(const perf::SampleRecord& sample, const IndexedEvent& event,
                                      bool counted);
  // Applies what is older than `settled_ns`: no sample before it can still appear in a ring.
  void ApplyUntil(std::uint64_t settled_ns);
  // Reader number `reader` has delivered all its samples before `time_ns`. Forgets what is over for
  // all of them, and returns up to where everybody has come.
  std::uint64_t Delivered(std::size_t reader, std::uint64_t time_ns);

  [[nodiscard]] std::size_t live_threads() const;
  // Of those that count as alive here, whether `is_alive` says so of any.
  [[nodiscard]] bool AnyAlive(const std::function<bool(std::uint32_t tid)>& is_alive) const;
  [[nodiscard]] SideBandCounts counts() const;

 private:
  void TakeSideBand(std::span<const std::byte> bytes);
  void ApplyBefore(std::uint64_t time_ns);
  void Apply(SideBandEntry& entry);
  std::shared_ptr<ThreadState> ThreadOf(const perf::SampleRecord& sample,
                                        const IndexedEvent& event);
  void ReadGroup(const perf::SampleRecord& sample, const IndexedEvent& leader,
                 SampleContext& context);

  const EventIndex& events_;
  const std::vector<perf::RingBuffer*> rings_;
  mutable std::mutex mutex_;  // guards everything below, and their state
  ProcessTable& processes_;
  SampleScope scope_;
  std::deque<SideBandEntry> pending_;  // by time
  std::uint64_t arrivals_ = 0;
  bool lost_since_resync_ = false;
  std::unordered_map<std::uint64_t, std::uint64_t> cpu_group_values_;  // as ThreadState has them
  std::vector<std::uint64_t> delivered_ns_;                            // by reader
  SideBandCounts counts_;
};

}  // namespace prof::collect
