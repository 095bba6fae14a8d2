// Drains the side-band rings and keeps the target's state for the readers.
#include "collect/target_state.h"

#include <algorithm>
#include <limits>

namespace prof::collect {
namespace {

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

TargetState::TargetState(const EventIndex& events, std::vector<perf::RingBuffer*> side_band,
                         ProcessTable& processes, SampleScope scope, std::size_t readers)
    : events_(events),
      rings_(std::move(side_band)),
      processes_(processes),
      scope_(std::move(scope)),
      delivered_ns_(readers, 0) {}

std::size_t TargetState::live_threads() const {
  const std::scoped_lock lock(mutex_);
  return processes_.live_threads();
}

bool TargetState::AnyAlive(const std::function<bool(std::uint32_t tid)>& is_alive) const {
  const std::scoped_lock lock(mutex_);
  bool any = false;
  processes_.ForEachThread([&](const ThreadState& thread) {
    any = any || (thread.exited_ns == 0 && is_alive(thread.tid));
  });
  return any;
}

SideBandCounts TargetState::counts() const {
  const std::scoped_lock lock(mutex_);
  SideBandCounts counts = counts_;
  for (const perf::RingBuffer* ring : rings_) counts.bad_records += ring->malformed();
  return counts;
}

void TargetState::TakeSideBand(std::span<const std::byte> bytes) {
  const auto decoded = perf::Decode(bytes, events_.side_band_layout());
  if (!decoded) {
    ++counts_.bad_records;
    return;
  }
  if (const auto* lost = std::get_if<perf::LostRecord>(&*decoded)) {
    counts_.lost += lost->count;
    lost_since_resync_ = true;
    return;
  }
  std::visit(
      [this](const auto& record) {
        if constexpr (requires { Own(record); }) {
          pending_.push_back(Own(record));
          pending_.back().arrival = arrivals_++;
        }
      },
      *decoded);
}

void TargetState::Drain() {
  const std::scoped_lock lock(mutex_);
  const std::size_t before = pending_.size();
  for (perf::RingBuffer* ring : rings_) {
    const std::uint64_t head = ring->Head();
    while (const auto record = ring->Peek(head)) {
      TakeSideBand(*record);
      ring->Pop();
    }
  }
  if (pending_.size() == before) return;
  std::ranges::sort(pending_, {}, [](const SideBandEntry& entry) {
    return std::pair(entry.time_ns, entry.arrival);
  });
}

void TargetState::Apply(SideBandEntry& entry) {
  if (auto* mmap = std::get_if<perf::MmapRecord>(&entry.record)) mmap->path = entry.text;
  if (auto* comm = std::get_if<perf::CommRecord>(&entry.record)) comm->comm = entry.text;
  if (const auto* read = std::get_if<perf::ReadRecord>(&entry.record)) {
    // As with samples, of a thread that inherited counters from two origins only its own counts.
    const IndexedEvent* event = events_.Find(read->event_id);
    const auto thread = processes_.FindThread(read->tid);
    if (event == nullptr || thread == nullptr || event->origin != thread->origin) return;
  }
  std::visit([this](const auto& record) { processes_.Apply(record); }, entry.record);
}

void TargetState::ApplyBefore(std::uint64_t time_ns) {
  while (!pending_.empty() && pending_.front().time_ns <= time_ns) {
    Apply(pending_.front());
    pending_.pop_front();
  }
}

void TargetState::ApplyUntil(std::uint64_t settled_ns) {
  const std::scoped_lock lock(mutex_);
  ApplyBefore(settled_ns);
  if (std::exchange(lost_since_resync_, false)) scope_.resync();
}

std::uint64_t TargetState::Delivered(std::size_t reader, std::uint64_t time_ns) {
  const std::scoped_lock lock(mutex_);
  delivered_ns_[reader] = std::max(delivered_ns_[reader], time_ns);
  const std::uint64_t everybody_ns = std::ranges::min(delivered_ns_);
  processes_.Settle(everybody_ns);
  if (everybody_ns == kEverything) {
    processes_.Purge(kEverything);
  } else if (everybody_ns > kForgetNs) {
    processes_.Purge(everybody_ns - kForgetNs);
  }
  return everybody_ns;
}

std::shared_ptr<ThreadState> TargetState::ThreadOf(const perf::SampleRecord& sample,
                                                   const IndexedEvent& event) {
  if (sample.id.pid == scope_.own_pid && scope_.everything) return nullptr;
  std::shared_ptr<ThreadState> thread = processes_.FindThread(sample.id.tid);
  if (thread != nullptr && thread->process->pid != sample.id.pid)
    thread = nullptr;  // the tid belongs to another process by now
  if (thread == nullptr) {
    if (scope_.cpu_wide && !scope_.everything) return nullptr;
    processes_.AddThread(sample.id.pid, sample.id.tid, "", event.origin);
    thread = processes_.FindThread(sample.id.tid);
    scope_.adopt(thread);
  }
  // A thread that was both inherited and attached to delivers twice; its own origin's samples
  // count.
  if (event.origin != kEveryTask && thread->origin != event.origin) return nullptr;
  return thread;
}

SampleContext TargetState::Resolve(const perf::SampleRecord& sample, const IndexedEvent& event,
                                   bool counted) {
  const std::scoped_lock lock(mutex_);
  ApplyBefore(sample.id.time_ns);
  SampleContext context{.thread = ThreadOf(sample, event), .space = nullptr, .group = {}};
  if (context.thread == nullptr || !counted) return context;
  ThreadState& thread = *context.thread;
  context.space = thread.process->mappings.At(sample.id.time_ns);
  context.stack_owner = thread.stack_owner;
  ++thread.process->samples;
  if (thread.name.empty()) ++counts_.unattributed;
  if (event.event == events_.clock()) {
    thread.sampled_ns += sample.period;
    if (thread.exited_ns != 0 && thread.exited_ns <= sample.id.time_ns)
      thread.exiting_sampled_ns += sample.period;
  }
  if (!sample.read_values.empty()) ReadGroup(sample, event, context);
  return context;
}

// PERF_FORMAT_GROUP with times, id and lost: { nr, time_enabled, time_running, { value, id [, lost]
// }[nr] }.
void TargetState::ReadGroup(const perf::SampleRecord& sample, const IndexedEvent& leader,
                            SampleContext& context) {
  auto& last_values =
      leader.origin == kEveryTask ? cpu_group_values_ : context.thread->group_values;
  const auto words = sample.read_values;
  const std::size_t stride = (events_.LayoutOf(leader).read_format & PERF_FORMAT_LOST) != 0 ? 3 : 2;
  for (std::size_t at = 3; at + stride <= words.size(); at += stride) {
    const std::uint64_t value = words[at], id = words[at + 1];
    const IndexedEvent* event = events_.Find(id);
    if (event == nullptr || event->event == leader.event) continue;
    std::uint64_t& last = last_values[id];
    if (value > last) context.group.emplace_back(event->event, value - last);
    last = value;
  }
}

}  // namespace prof::collect
