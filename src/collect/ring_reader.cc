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
constexpr std::uint64_t kInFlightNs = 1'000'000;
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

void Apply(SideBandEntry& entry, ProcessTable& processes) {
  if (auto* mmap = std::get_if<perf::MmapRecord>(&entry.record)) mmap->path = entry.text;
  if (auto* comm = std::get_if<perf::CommRecord>(&entry.record)) comm->comm = entry.text;
  std::visit([&processes](const auto& record) { processes.Apply(record); }, entry.record);
}

}  // namespace

RingReader::RingReader(EventSet& events, ProcessTable& processes, SampleWalker& walker,
                       StreamWriter& writer, SampleScope scope)
    : events_(events),
      processes_(processes),
      walker_(walker),
      writer_(writer),
      scope_(std::move(scope)),
      sample_layout_(perf::RecordLayout::Of(events.plan().events.front().attr)) {
  for (const PlannedEvent& event : events.plan().events) {
    if (event.desc.unit == model::EventUnit::kNanoseconds) break;
    ++clock_event_;
  }
  for (CpuRings& rings : events_.rings()) cursors_.push_back({.rings = &rings});
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
        if constexpr (requires { Own(record); }) side_band_.push_back(Own(record));
      },
      *decoded);
}

void RingReader::DrainSideBand() {
  const auto before = static_cast<std::ptrdiff_t>(side_band_.size());
  for (CpuRings& cpu : events_.rings()) {
    perf::RingBuffer& ring = cpu.side_band();
    const std::uint64_t head = ring.Head();
    while (const auto record = ring.Peek(head)) {
      TakeSideBand(*record);
      ring.Pop();
    }
  }
  if (side_band_.size() == static_cast<std::size_t>(before)) return;
  std::stable_sort(
      side_band_.begin(), side_band_.end(),
      [](const SideBandEntry& a, const SideBandEntry& b) { return a.time_ns < b.time_ns; });
}

void RingReader::ApplySideBandUntil(std::uint64_t time_ns) {
  while (!side_band_.empty() && side_band_.front().time_ns <= time_ns) {
    Apply(side_band_.front(), processes_);
    side_band_.pop_front();
  }
}

void RingReader::Advance(RingCursor& cursor) {
  const auto record = cursor.rings->samples().Peek(cursor.head);
  cursor.record = record.value_or(std::span<const std::byte>{});
  if (!record) return;
  const auto id = perf::PeekSampleId(*record, sample_layout_);
  cursor.next_time_ns = id ? id->time_ns : 0;
}

void RingReader::Pass(bool final) {
  const std::uint64_t start_ns = MonotonicNs();
  for (RingCursor& cursor : cursors_) cursor.head = cursor.rings->samples().Head();
  DrainSideBand();
  for (RingCursor& cursor : cursors_) Advance(cursor);
  for (;;) {
    RingCursor* next = nullptr;
    for (RingCursor& cursor : cursors_) {
      if (!cursor.record.empty() && (next == nullptr || cursor.next_time_ns < next->next_time_ns))
        next = &cursor;
    }
    if (next == nullptr) break;
    ApplySideBandUntil(next->next_time_ns);
    Handle(next->record);
    next->rings->samples().Pop();
    Advance(*next);
  }
  ApplySideBandUntil(final ? kEverything : start_ns - kInFlightNs);
  writer_.Release(final ? kEverything : start_ns - kInFlightNs);
  processes_.Purge(final ? kEverything : start_ns - kForgetNs);
}

void RingReader::Handle(std::span<const std::byte> bytes) {
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  // PERF_SAMPLE_IDENTIFIER puts the event's id right behind the header of a sample.
  const OpenedEvent* event = nullptr;
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

ThreadState* RingReader::ThreadOf(const perf::SampleRecord& sample, const OpenedEvent& event) {
  if (sample.id.pid == scope_.own_pid && scope_.everything) return nullptr;
  ThreadState* thread = processes_.FindThread(sample.id.tid);
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

void RingReader::HandleSample(const perf::SampleRecord& sample, const OpenedEvent& event) {
  ThreadState* thread = ThreadOf(sample, event);
  if (thread == nullptr) return;
  writer_.TurnEpoch();
  model::Sample result{.time_ns = sample.id.time_ns,
                       .cpu = sample.id.cpu,
                       .event = event.event,
                       .weight = sample.period};
  result.thread = writer_.IdOf(*thread);
  result.stack = walker_.Walk(sample, events_.LayoutOf(event), *thread);
  writer_.Add(result);
  ++thread->process->samples;
  if (event.event == clock_event_) {
    thread->sampled_ns += sample.period;
    if (thread->exited_ns != 0) thread->exiting_sampled_ns += sample.period;
  }
  if (!sample.read_values.empty()) AddGroupMembers(sample, event, result);
}

// PERF_FORMAT_GROUP with times, id and lost: { nr, time_enabled, time_running, { value, id [, lost]
// }[nr] }.
void RingReader::AddGroupMembers(const perf::SampleRecord& sample, const OpenedEvent& leader,
                                 const model::Sample& base) {
  const auto words = sample.read_values;
  const std::size_t stride = (events_.LayoutOf(leader).read_format & PERF_FORMAT_LOST) != 0 ? 3 : 2;
  for (std::size_t at = 3; at + stride <= words.size(); at += stride) {
    const std::uint64_t value = words[at], id = words[at + 1];
    const OpenedEvent* event = events_.Find(id);
    if (event == nullptr || event->event == leader.event) continue;
    std::uint64_t& last = group_values_[id][leader.origin == kEveryTask ? 0 : sample.id.tid];
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
