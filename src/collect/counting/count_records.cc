// Builds RecordingInfo, EventDefs, CounterReadings and their threads.
#include "collect/counting/count_records.h"

#include "collect/host_info.h"
#include "collect/proc_snapshot.h"

namespace prof::collect {

void CountRecords::Append(const model::Record& record) {
  if (status_) status_ = sink_.Append(record);
}

void CountRecords::Flush() {
  if (status_) status_ = sink_.Flush();
}

void CountRecords::Head(const CountPlan& plan) {
  model::RecordingInfo info = DescribeHost(fs_);
  info.command_line = options_.command_line;
  info.target = options_.target.kind;
  info.target_command = options_.target.kind == model::TargetKind::kCommand
                            ? options_.sides.front().command
                            : options_.target.command;
  Append(info);
  for (std::size_t index = 0; index < plan.wanted; ++index) {
    Append(model::EventDef{.id = static_cast<model::EventId>(index),
                           .event = plan.counters[index].desc});
  }
  for (const model::SideDef& side : options_.sides) Append(side);
  for (const MetricSource& metric : options_.metrics) Append(metric.definition);
  Append(model::EpochBegin{});
}

// A counter of a PMU outside of the cores stands for no thread.
bool CountRecords::SamePlace(const CounterValue& a, const CounterValue& b) const {
  if (a.index != b.index) return false;
  switch (options_.split) {
    case CountSplit::kTotal:
      return true;
    case CountSplit::kCpu:
      return a.spot.cpu == b.spot.cpu;
    case CountSplit::kThread:
      return a.spot.tid == b.spot.tid;
  }
  return false;
}

void CountRecords::Readings(std::uint32_t run, std::span<const CounterValue> values,
                            std::size_t wanted, std::uint64_t time_ns) {
  for (std::size_t at = 0; at < values.size();) {
    const CounterValue& first = values[at];
    model::CounterReading reading{
        .run = run, .event = static_cast<model::EventId>(first.index), .time_ns = time_ns};
    for (; at < values.size() && SamePlace(first, values[at]); ++at) {
      reading.value += values[at].value;
      reading.enabled_ns += values[at].enabled_ns;
      reading.running_ns += values[at].running_ns;
    }
    if (first.index >= wanted) continue;
    if (options_.split == CountSplit::kCpu)
      reading.cpu = static_cast<std::uint32_t>(first.spot.cpu);
    if (options_.split == CountSplit::kThread && first.spot.tid >= 0)
      reading.thread = ThreadOf(first.spot.tid);
    Append(reading);
  }
}

void CountRecords::DefineThreads(std::span<const CounterSpot> spots) {
  if (options_.split != CountSplit::kThread) return;
  for (const CounterSpot& spot : spots) {
    if (spot.tid >= 0) ThreadOf(spot.tid);
  }
}

model::ThreadId CountRecords::ThreadOf(pid_t tid) {
  const auto known = threads_.find(tid);
  if (known != threads_.end()) return known->second;
  // One that has ended meanwhile has lost its process; it stands as one of its own.
  const pid_t pid = ProcessOf(fs_, tid).value_or(tid);
  const auto next_process = static_cast<model::ProcessId>(processes_.size());
  const auto [process, is_new] = processes_.emplace(pid, next_process);
  if (is_new)
    Append(model::ProcessDef{.id = process->second, .pid = static_cast<std::uint32_t>(pid)});
  const auto id = static_cast<model::ThreadId>(threads_.size());
  threads_.emplace(tid, id);
  Append(model::ThreadDef{.id = id,
                          .process = process->second,
                          .tid = static_cast<std::uint32_t>(tid),
                          .name = ThreadName(fs_, tid)});
  return id;
}

}  // namespace prof::collect
