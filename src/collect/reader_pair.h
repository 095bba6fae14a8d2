// A reader of some CPUs' sample rings with its unwinder, and what it gives up under pressure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collect/event_index.h"
#include "collect/overflow_queue.h"
#include "collect/queued_sink.h"
#include "collect/sample_walker.h"
#include "collect/stream_writer.h"
#include "collect/target_state.h"

#include "prof/perf/record_decoder.h"
#include "prof/perf/ring_buffer.h"

namespace prof::collect {

struct PairCounts {
  std::uint64_t lost_records = 0;  // by LOST records in sample rings: at least
  std::uint64_t throttled = 0;
  std::uint64_t bad_records = 0;
  // The rungs of the pressure ladder.
  std::uint64_t deferred = 0;  // unwound later, from a copy
  std::uint64_t cut = 0;       // of those, whose stack was longer than the copy
  std::uint64_t shed = 0;      // kept with pc and kernel chain only
  std::uint64_t dropped = 0;   // not kept

  PairCounts& operator+=(const PairCounts& other);
};

// design.md section 5. The heads of the pair's sample rings are read first, then all side-band up
// to its heads, so that every record older than a sample of this pass is known when the sample is
// unwound, in place in the ring. Under pressure, in this order:
//   1. while a ring fills faster than it is unwound, samples are copied with at most 8 KB of stack
//      and the ring is released; they are unwound when the rings are calm;
//   2. when the room for copies is used up, or the output is nearly stuck, samples are shed to
//      their pc and kernel chain;
//   3. when the output is stuck, samples are dropped.
// Samples without a stack copy have nothing to give up before the last rung. What the last pass
// meets is bounded by the rings and is kept whatever the output does.
//
// Belongs to one thread; the target's state and the writer are shared (see their locks).
class ReaderPair {
 public:
  struct Shared {
    const EventIndex& events;
    TargetState& target;
    StreamWriter& writer;
    std::function<QueueState()> output;  // how the writer's queue is
  };
  // `number` is the pair's in TargetState.
  ReaderPair(std::size_t number, const Shared& shared, const std::vector<perf::RingBuffer*>& rings,
             std::unique_ptr<SampleWalker> walker, std::size_t overflow_bytes);

  // Reads everything that is there now. `final`: nothing more will come, so nothing waits.
  void Pass(bool final);
  // How long it may sleep, at most `longest_ms`, before the next pass.
  [[nodiscard]] int SleepMs(int longest_ms) const;
  // Not while another thread is in Pass().
  [[nodiscard]] PairCounts counts() const;
  [[nodiscard]] const WalkCounts& walks() const { return walker_->counts(); }

 private:
  struct RingCursor {
    perf::RingBuffer* ring = nullptr;
    std::uint64_t head = 0;  // of this pass
    std::uint64_t next_time_ns = 0;
    std::span<const std::byte> record;  // peeked, empty: exhausted
    std::uint64_t filled = 0;           // bytes when it was last looked at
  };
  bool Advance(RingCursor& cursor);
  void Merge();
  void LookAtRings();
  void UnwindDeferred();
  void Handle(std::span<const std::byte> bytes);
  void Take(const perf::SampleRecord& sample, const IndexedEvent& event);
  void Deliver(const perf::SampleRecord& sample, const IndexedEvent& event,
               const SampleContext& context, bool shed);

  std::size_t number_;
  Shared shared_;
  std::vector<RingCursor> cursors_;
  std::vector<RingCursor*> heap_;  // of those with records left, the oldest on top
  std::unique_ptr<SampleWalker> walker_;
  OverflowQueue overflow_;
  bool pressed_ = false;  // a ring fills faster than it is unwound
  bool final_ = false;
  PairCounts counts_;
};

}  // namespace prof::collect
