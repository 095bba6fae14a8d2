// Merges the rings of a pair by time, unwinds their samples and delivers them.
#include "collect/reader_pair.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

// A record is stamped a little before it is visible in its ring (an interrupt that copies a stack
// takes tens of microseconds), so side-band this young is not applied ahead of samples that may
// still appear.
// A virtual CPU may be taken away for milliseconds in between.
constexpr std::uint64_t kInFlightNs = 10'000'000;
// A pass over full rings takes long; side-band is drained again after that many samples.
constexpr std::size_t kDrainEvery = 64;
// How often the rings are looked at while samples are taken: a ring of 64 KB dumps may hold 32.
constexpr std::size_t kLookEvery = 8;
constexpr int kStuckMs = 10;  // between looks at an output that is stuck
constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

}  // namespace

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  lost_records += other.lost_records;
  throttled += other.throttled;
  bad_records += other.bad_records;
  deferred += other.deferred;
  cut += other.cut;
  shed += other.shed;
  dropped += other.dropped;
  return *this;
}

ReaderPair::ReaderPair(std::size_t number, const Shared& shared,
                       const std::vector<perf::RingBuffer*>& rings,
                       std::unique_ptr<SampleWalker> walker, std::size_t overflow_bytes)
    : number_(number), shared_(shared), walker_(std::move(walker)), overflow_(overflow_bytes) {
  for (perf::RingBuffer* ring : rings) cursors_.push_back({.ring = ring});
}

PairCounts ReaderPair::counts() const {
  PairCounts counts = counts_;
  for (const RingCursor& cursor : cursors_) counts.bad_records += cursor.ring->malformed();
  counts.deferred = overflow_.taken();
  counts.cut = overflow_.cut();
  return counts;
}

int ReaderPair::SleepMs(int longest_ms) const {
  if (overflow_.empty()) return longest_ms;
  return shared_.output() == QueueState::kFull ? std::min(longest_ms, kStuckMs) : 0;
}

void ReaderPair::Pass(bool final) {
  final_ = final;
  const std::uint64_t start_ns = MonotonicNs();
  for (RingCursor& cursor : cursors_) {
    cursor.head = cursor.ring->Head();
    // What came while nobody looked says nothing about who is faster.
    cursor.filled = cursor.head - cursor.ring->Tail();
  }
  shared_.target.Drain();
  UnwindDeferred();
  Merge();
  UnwindDeferred();
  const std::uint64_t settled_ns = final ? kEverything : start_ns - kInFlightNs;
  shared_.target.ApplyUntil(settled_ns);
  const std::uint64_t delivered_ns =
      overflow_.empty() ? settled_ns : std::min(settled_ns, overflow_.front().sample.id.time_ns);
  shared_.writer.Release(shared_.target.Delivered(number_, delivered_ns));
}

// Pressed from when a ring that is more than half full has become no emptier since the last look,
// until all are less than a quarter full.
void ReaderPair::LookAtRings() {
  bool calm = true;
  for (RingCursor& cursor : cursors_) {
    const std::uint64_t filled = cursor.ring->Head() - cursor.ring->Tail();
    const std::size_t size = cursor.ring->data_bytes();
    if (filled > size / 2 && filled >= cursor.filled) pressed_ = true;
    if (filled > size / 4) calm = false;
    cursor.filled = filled;
  }
  if (calm) pressed_ = false;
}

void ReaderPair::UnwindDeferred() {
  for (std::size_t done = 0; !overflow_.empty(); ++done) {
    if (!final_ && done % kLookEvery == 0) {
      LookAtRings();
      if (pressed_ || shared_.output() == QueueState::kFull) return;
    }
    const QueuedSample& queued = overflow_.front();
    Deliver(queued.sample, *queued.event, queued.context, false);
    overflow_.Pop();
  }
}

// Whether there is another record.
bool ReaderPair::Advance(RingCursor& cursor) {
  const auto record = cursor.ring->Peek(cursor.head);
  if (!record) return false;
  cursor.record = *record;
  const auto id = perf::PeekSampleId(*record, shared_.events.head_layout());
  cursor.next_time_ns = id ? id->time_ns : 0;
  return true;
}

// Takes the records up to the heads in order of time.
void ReaderPair::Merge() {
  const auto later = [](const RingCursor* a, const RingCursor* b) {
    return a->next_time_ns > b->next_time_ns;
  };
  heap_.clear();
  for (RingCursor& cursor : cursors_) {
    if (Advance(cursor)) heap_.push_back(&cursor);
  }
  std::ranges::make_heap(heap_, later);
  for (std::size_t taken = 1; !heap_.empty(); ++taken) {
    std::ranges::pop_heap(heap_, later);
    RingCursor& cursor = *heap_.back();
    Handle(cursor.record);
    cursor.ring->Pop();
    if (Advance(cursor)) {
      std::ranges::push_heap(heap_, later);
    } else {
      heap_.pop_back();
    }
    if (taken % kLookEvery == 0) LookAtRings();
    if (taken % kDrainEvery == 0) shared_.target.Drain();
  }
}

void ReaderPair::Handle(std::span<const std::byte> bytes) {
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  // PERF_SAMPLE_IDENTIFIER puts the event's id right behind the header of a sample.
  const IndexedEvent* event = nullptr;
  if (header.type == PERF_RECORD_SAMPLE && bytes.size() >= sizeof header + sizeof(std::uint64_t)) {
    std::uint64_t id = 0;
    std::memcpy(&id, bytes.data() + sizeof header, sizeof id);
    event = shared_.events.Find(id);
  }
  if (header.type == PERF_RECORD_SAMPLE && event == nullptr) {
    ++counts_.bad_records;
    return;
  }
  const auto decoded = perf::Decode(bytes, event != nullptr ? shared_.events.LayoutOf(*event)
                                                            : shared_.events.side_band_layout());
  if (!decoded) {
    ++counts_.bad_records;
  } else if (const auto* sample = std::get_if<perf::SampleRecord>(&*decoded)) {
    Take(*sample, *event);
  } else if (const auto* lost = std::get_if<perf::LostRecord>(&*decoded)) {
    counts_.lost_records += lost->count;
  } else if (const auto* throttle = std::get_if<perf::ThrottleRecord>(&*decoded)) {
    counts_.throttled += throttle->throttled ? 1 : 0;
  }
}

void ReaderPair::Take(const perf::SampleRecord& sample, const IndexedEvent& event) {
  const QueueState output = final_ ? QueueState::kOpen : shared_.output();
  const bool drop = output == QueueState::kFull;
  SampleContext context = shared_.target.Resolve(sample, event, !drop);
  if (context.thread == nullptr) return;
  if (drop) {
    ++counts_.dropped;
    return;
  }
  const bool must_unwind = !sample.user_stack.empty();
  const bool defer = must_unwind && (pressed_ || !overflow_.empty());
  const bool shed = must_unwind && (output == QueueState::kNearlyFull ||
                                    (defer && !overflow_.Push(sample, event, context)));
  if (defer && !shed) return;
  counts_.shed += shed ? 1 : 0;
  Deliver(sample, event, context, shed);
}

void ReaderPair::Deliver(const perf::SampleRecord& sample, const IndexedEvent& event,
                         const SampleContext& context, bool shed) {
  const perf::RecordLayout& layout = shared_.events.LayoutOf(event);
  const model::StackEnd end =
      shed ? walker_->WalkShed(sample, layout, *context.space, context.stack_owner)
           : walker_->Walk(sample, layout, *context.space, context.stack_owner);
  const auto lock = shared_.writer.Hold();
  shared_.writer.TurnEpoch();
  model::Sample result{.time_ns = sample.id.time_ns,
                       .cpu = sample.id.cpu,
                       .event = event.event,
                       .weight = sample.period};
  result.thread = shared_.writer.IdOf(*context.thread);
  result.stack = walker_->Intern(end);
  shared_.writer.Add(result);
  for (const auto& [member, weight] : context.group) {
    result.event = member;
    result.weight = weight;
    shared_.writer.Add(result);
  }
}

}  // namespace prof::collect
