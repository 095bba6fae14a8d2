// One pass over the rings: side-band applied in time order before each sample, samples unwound in
// place.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collect/event_set.h"
#include "collect/process_table.h"
#include "collect/sample_walker.h"
#include "collect/stream_writer.h"

#include "prof/perf/record_decoder.h"

namespace prof::collect {

struct ReaderCounts {
  std::uint64_t lost_records = 0;  // by LOST records in sample rings: at least
  std::uint64_t side_band_lost = 0;
  std::uint64_t throttled = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t unattributed = 0;  // samples of threads that no side-band record named
};

// A side-band record with the text it borrowed from the ring.
struct SideBandEntry {
  std::uint64_t time_ns = 0;
  std::variant<perf::MmapRecord, perf::CommRecord, perf::ForkRecord, perf::ExitRecord,
               perf::ReadRecord>
      record;
  std::string text;  // path or name
};

// Whose samples count.
struct SampleScope {
  bool cpu_wide = false;    // samples of other threads come too and are none of ours
  bool everything = false;  // -a, -C: all threads but prof's own
  std::uint32_t own_pid = 0;
  std::function<void(ThreadState&)>
      adopt;  // names a thread that no side-band record announced, and its mappings
};

// design.md section 5: the heads of all sample rings are read first, then all side-band up to its
// heads, so that every record older than a sample of this pass is known when the sample is unwound.
// No sample is held back before unwinding. One thread.
class RingReader {
 public:
  RingReader(EventSet& events, ProcessTable& processes, SampleWalker& walker, StreamWriter& writer,
             SampleScope scope);

  // Reads everything that is there now. `final`: nothing more will come, so nothing waits.
  void Pass(bool final);
  [[nodiscard]] const ReaderCounts& counts() const { return counts_; }
  // Side-band was lost since the last call: the caller reads /proc again.
  bool TakeSideBandLost() { return std::exchange(side_band_lost_, false); }

 private:
  struct RingCursor {
    CpuRings* rings = nullptr;
    std::uint64_t head = 0;
    std::uint64_t next_time_ns = 0;
    std::span<const std::byte> record;  // peeked, empty: exhausted
  };
  void DrainSideBand();
  void TakeSideBand(std::span<const std::byte> bytes);
  void ApplySideBandUntil(std::uint64_t time_ns);
  void Advance(RingCursor& cursor);
  void Handle(std::span<const std::byte> bytes);
  void HandleSample(const perf::SampleRecord& sample, const OpenedEvent& event);
  ThreadState* ThreadOf(const perf::SampleRecord& sample, const OpenedEvent& event);
  void AddGroupMembers(const perf::SampleRecord& sample, const OpenedEvent& leader,
                       const model::Sample& base);

  EventSet& events_;
  ProcessTable& processes_;
  SampleWalker& walker_;
  StreamWriter& writer_;
  SampleScope scope_;
  perf::RecordLayout
      sample_layout_;  // the fields before the event's own are the same for all sampling events
  model::EventId clock_event_ = 0;       // the first that counts time; others would count it twice
  std::deque<SideBandEntry> side_band_;  // by time
  std::vector<RingCursor> cursors_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint32_t, std::uint64_t>>
      group_values_;  // event id, tid: last value
  ReaderCounts counts_;
  bool side_band_lost_ = false;
};

}  // namespace prof::collect
