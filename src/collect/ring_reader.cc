// Merges the rings by time and hands samples to the walker.
#include "collect/ring_reader.h"

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
// Dead threads are forgotten when no sample of them can still be in a ring.
constexpr std::uint64_t kForgetNs = 1'000'000'000;
constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

// Makes the entry own the text that the decoded record borrows.
SideBandEntry Own(const perf::MmapRecord& record) {
  return {record.id.time_ns, record, std::string(record.path)};
}
SideBandEntry Own(const perf::CommRecord& record) {
  return {record.id.time_ns, record, std::string(record.comm)};
}
SideBandEntry Own(const perf::ForkRecord& record) { return {record.time_ns, record, {}}; }
SideBandEntry Own(const perf::ExitRecord& record) { return {record.time_ns, record, {}}; }
SideBandEntry Own(const perf::ReadRecord& record) { return {record.id.time_ns, record, {}}; }

}  // namespace

RingReader::RingReader(const EventIndex& events, std::vector<RingPair> rings,
                       ProcessTable& processes, SampleWalker& walker, StreamWriter& writer,
                       SampleScope scope)
    : events_(events),
      rings_(std::move(rings)),
      processes_(processes),
      walker_(walker),
      writer_(writer),
      scope_(std::move(scope)) {
  for (const RingPair& pair : rings_) cursors_.push_back({.ring = pair.samples});
}

ReaderCounts RingReader::counts() const {
  ReaderCounts counts = counts_;
  for (const RingPair& pair : rings_)
    counts.bad_records += pair.side_band->malformed() + pair.samples->malformed();
  return counts;
}

void RingReader::TakeSideBand(std::span<const std::byte> bytes) {
  const auto decoded = perf::Decode(bytes, events_.side_band_layout());
  if (!decoded) {
    ++counts_.bad_records;
    return;
  }
  if (const auto* lost = std::get_if<perf::LostRecord>(&*decoded)) {
    counts_.side_band_lost += lost->count;
    side_band_lost_ = true;
    return;
  }
  std::visit(
      [this](const auto& record) {
        if constexpr (requires { Own(record); }) {
          side_band_.push_back(Own(record));
          side_band_.back().arrival = arrivals_++;
        }
      },
      *decoded);
}

void RingReader::DrainSideBand() {
  const auto before = static_cast<std::ptrdiff_t>(side_band_.size());
  for (const RingPair& pair : rings_) {
    perf::RingBuffer& ring = *pair.side_band;
    const std::uint64_t head = ring.Head();
    while (const auto record = ring.Peek(head)) {
      TakeSideBand(*record);
      ring.Pop();
    }
  }
  if (side_band_.size() == static_cast<std::size_t>(before)) return;
  std::ranges::sort(side_band_, {}, [](const SideBandEntry& entry) {
    return std::pair(entry.time_ns, entry.arrival);
  });
}

void RingReader::Apply(SideBandEntry& entry) {
  if (auto* mmap = std::get_if<perf::MmapRecord>(&entry.record)) mmap->path = entry.text;
  if (auto* comm = std::get_if<perf::CommRecord>(&entry.record)) comm->comm = entry.text;
  if (const auto* read = std::get_if<perf::ReadRecord>(&entry.record)) {
    // As with samples, of a thread that inherited counters from two origins only its own counts.
    const IndexedEvent* event = events_.Find(read->event_id);
    const ThreadState* thread = processes_.FindThread(read->tid);
    if (event == nullptr || thread == nullptr || event->origin != thread->origin) return;
  }
  std::visit([this](const auto& record) { processes_.Apply(record); }, entry.record);
}

void RingReader::ApplySideBandUntil(std::uint64_t time_ns) {
  while (!side_band_.empty() && side_band_.front().time_ns <= time_ns) {
    Apply(side_band_.front());
    side_band_.pop_front();
  }
}

// Whether there is another record.
bool RingReader::Advance(RingCursor& cursor) {
  const auto record = cursor.ring->Peek(cursor.head);
  if (!record) return false;
  cursor.record = *record;
  const auto id = perf::PeekSampleId(*record, events_.head_layout());
  cursor.next_time_ns = id ? id->time_ns : 0;
  return true;
}

void RingReader::Pass(bool final) {
  const std::uint64_t start_ns = MonotonicNs();
  for (RingCursor& cursor : cursors_) cursor.head = cursor.ring->Head();
  DrainSideBand();
  Merge();
  ApplySideBandUntil(final ? kEverything : start_ns - kInFlightNs);
  writer_.Release(final ? kEverything : start_ns - kInFlightNs);
  processes_.Purge(final ? kEverything : start_ns - kForgetNs);
}

// Takes the records up to the heads in order of time.
void RingReader::Merge() {
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
    ApplySideBandUntil(cursor.next_time_ns);
    Handle(cursor.record);
    cursor.ring->Pop();
    if (Advance(cursor)) {
      std::ranges::push_heap(heap_, later);
    } else {
      heap_.pop_back();
    }
    if (taken % kDrainEvery == 0) DrainSideBand();
  }
}

void RingReader::Handle(std::span<const std::byte> bytes) {
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  // PERF_SAMPLE_IDENTIFIER puts the event's id right behind the header of a sample.
  const IndexedEvent* event = nullptr;
  if (header.type == PERF_RECORD_SAMPLE && bytes.size() >= sizeof header + sizeof(std::uint64_t)) {
    std::uint64_t id = 0;
    std::memcpy(&id, bytes.data() + sizeof header, sizeof id);
    event = events_.Find(id);
  }
  if (header.type == PERF_RECORD_SAMPLE && event == nullptr) {
    ++counts_.bad_records;
    return;
  }
  const auto decoded =
      perf::Decode(bytes, event != nullptr ? events_.LayoutOf(*event) : events_.side_band_layout());
  if (!decoded) {
    ++counts_.bad_records;
  } else if (const auto* sample = std::get_if<perf::SampleRecord>(&*decoded)) {
    HandleSample(*sample, *event);
  } else if (const auto* lost = std::get_if<perf::LostRecord>(&*decoded)) {
    counts_.lost_records += lost->count;
  } else if (const auto* throttle = std::get_if<perf::ThrottleRecord>(&*decoded)) {
    counts_.throttled += throttle->throttled ? 1 : 0;
  }
}

ThreadState* RingReader::ThreadOf(const perf::SampleRecord& sample, const IndexedEvent& event) {
  if (sample.id.pid == scope_.own_pid && scope_.everything) return nullptr;
  ThreadState* thread = processes_.FindThread(sample.id.tid);
  if (thread != nullptr && thread->process->pid != sample.id.pid)
    thread = nullptr;  // the tid belongs to another process by now
  if (thread == nullptr) {
    if (scope_.cpu_wide && !scope_.everything) return nullptr;
    ++counts_.unattributed;
    thread = &processes_.AddThread(sample.id.pid, sample.id.tid, "", event.origin);
    scope_.adopt(*thread);
  }
  // A thread that was both inherited and attached to delivers twice; its own origin's samples
  // count.
  if (event.origin != kEveryTask && thread->origin != event.origin) return nullptr;
  return thread;
}

void RingReader::HandleSample(const perf::SampleRecord& sample, const IndexedEvent& event) {
  ThreadState* thread = ThreadOf(sample, event);
  if (thread == nullptr) return;
  const model::StackEnd end =
      walker_.Walk(sample, events_.LayoutOf(event), *thread->process->space, thread->stack_owner);
  writer_.TurnEpoch();
  model::Sample result{.time_ns = sample.id.time_ns,
                       .cpu = sample.id.cpu,
                       .event = event.event,
                       .weight = sample.period};
  result.thread = writer_.IdOf(*thread);
  result.stack = walker_.Intern(end);
  writer_.Add(result);
  ++thread->process->samples;
  if (event.event == events_.clock()) {
    thread->sampled_ns += sample.period;
    if (thread->exited_ns != 0) thread->exiting_sampled_ns += sample.period;
  }
  if (!sample.read_values.empty())
    AddGroupMembers(sample, event, result,
                    event.origin == kEveryTask ? group_values_ : thread->group_values);
}

// PERF_FORMAT_GROUP with times, id and lost: { nr, time_enabled, time_running, { value, id [, lost]
// }[nr] }.
void RingReader::AddGroupMembers(const perf::SampleRecord& sample, const IndexedEvent& leader,
                                 const model::Sample& base,
                                 std::unordered_map<std::uint64_t, std::uint64_t>& last_values) {
  const auto words = sample.read_values;
  const std::size_t stride = (events_.LayoutOf(leader).read_format & PERF_FORMAT_LOST) != 0 ? 3 : 2;
  for (std::size_t at = 3; at + stride <= words.size(); at += stride) {
    const std::uint64_t value = words[at], id = words[at + 1];
    const IndexedEvent* event = events_.Find(id);
    if (event == nullptr || event->event == leader.event) continue;
    std::uint64_t& last = last_values[id];
    if (value > last) {
      model::Sample member = base;
      member.event = event->event;
      member.weight = value - last;
      writer_.Add(member);
    }
    last = value;
  }
}

}  // namespace prof::collect
