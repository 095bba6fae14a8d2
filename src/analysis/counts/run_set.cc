// Sorts readings and definitions into runs, whatever their order.
#include "prof/analysis/counts/run_set.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <variant>

namespace prof::analysis::counts {
namespace {

template <class Number>
Number SaturatingSum(Number a, Number b) {
  const Number largest = std::numeric_limits<Number>::max();
  return a > largest - b ? largest : static_cast<Number>(a + b);
}

auto LowerBound(std::vector<Run>& runs, std::uint32_t number) {
  return std::ranges::lower_bound(runs, number, {}, [](const Run& run) { return run.def.run; });
}

}  // namespace

Count& Count::operator+=(const Count& other) {
  value = SaturatingSum(value, other.value);
  enabled_ns = SaturatingSum(enabled_ns, other.enabled_ns);
  running_ns = SaturatingSum(running_ns, other.running_ns);
  parts = SaturatingSum(parts, other.parts);
  return *this;
}

Count Run::Total(model::EventId event) const {
  Count total;
  for (const auto& [place, count] : At(event)) total += count;
  return total;
}

const std::map<Place, Count>& Run::At(model::EventId event) const {
  static const std::map<Place, Count> kNone;
  return event < counts.size() ? counts[event] : kNone;
}

std::vector<const Run*> RunSet::RunsOf(std::uint32_t side) const {
  std::vector<const Run*> result;
  for (const Run& run : runs) {
    if (run.def.side == side) result.push_back(&run);
  }
  return result;
}

void RunSetBuilder::Lose(std::uint64_t records) {
  runs_.losses = SaturatingSum(runs_.losses, records);
}

// Definitions come in order of their ids; what is there already or leaves a gap is lost.
template <class Definition>
bool RunSetBuilder::IsNext(const Definition& definition, std::size_t known) {
  if (definition.id == known) return true;
  Lose();
  return false;
}

void RunSetBuilder::AddProcess(const model::ProcessDef& process) {
  if (!pids_.emplace(process.id, process.pid).second) Lose();
}

void RunSetBuilder::AddThread(const model::ThreadDef& thread) {
  if (!IsNext(thread, runs_.threads.size() - epoch_threads_)) return;
  const auto pid = pids_.find(thread.process);
  runs_.threads.push_back(
      {.pid = pid == pids_.end() ? 0 : pid->second, .tid = thread.tid, .comm = thread.name});
}

void RunSetBuilder::AddRun(const model::RunDef& def) {
  const auto place = LowerBound(runs_.runs, def.run);
  const bool is_double = place != runs_.runs.end() && place->def.run == def.run;
  if (is_double || def.side >= runs_.sides.size()) return Lose();
  Run run;
  if (const auto open = open_.find(def.run); open != open_.end()) {
    run = std::move(open->second);
    open_.erase(open);
  }
  run.def = def;
  runs_.runs.insert(place, std::move(run));
}

void RunSetBuilder::AddReading(const model::CounterReading& reading) {
  if (reading.event >= runs_.events.size() || !runs_.events[reading.event].refused.empty()) {
    return Lose();
  }
  Place place{.cpu = reading.cpu};
  if (reading.thread != model::kUnknownThread) {
    if (reading.thread >= runs_.threads.size() - epoch_threads_) return Lose();
    place.thread = static_cast<model::ThreadId>(epoch_threads_ + reading.thread);
  }
  Times& times = times_[reading.run];
  times.resize(runs_.events.size());
  const auto [time, is_new] = times[reading.event].emplace(place, reading.time_ns);
  if (!is_new) {
    if (time->second == reading.time_ns) Lose();
    const bool is_older = reading.time_ns < time->second;
    if (is_older) return;
    time->second = reading.time_ns;
  }
  const auto closed = LowerBound(runs_.runs, reading.run);
  const bool is_closed = closed != runs_.runs.end() && closed->def.run == reading.run;
  Run& run = is_closed ? *closed : open_[reading.run];
  run.def.run = reading.run;
  run.counts.resize(runs_.events.size());
  run.counts[reading.event][place] = {.value = reading.value,
                                      .enabled_ns = reading.enabled_ns,
                                      .running_ns = reading.running_ns,
                                      .parts = 1};
  if (reading.time_ns == model::kUnknownTime) return;
  const bool is_first = run.latest_ns == model::kUnknownTime;
  run.latest_ns = is_first ? reading.time_ns : std::max(run.latest_ns, reading.time_ns);
}

Status RunSetBuilder::Append(const model::Record& record) {
  std::visit(
      [this](const auto& part) {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, model::RecordingInfo>) {
          runs_.info ? Lose() : void(runs_.info = part);
        } else if constexpr (std::is_same_v<Part, model::EventDef>) {
          if (IsNext(part, runs_.events.size())) runs_.events.push_back(part.event);
        } else if constexpr (std::is_same_v<Part, model::SideDef>) {
          if (IsNext(part, runs_.sides.size())) runs_.sides.push_back(part);
        } else if constexpr (std::is_same_v<Part, model::MetricDef>) {
          if (IsNext(part, runs_.metrics.size())) runs_.metrics.push_back(part);
        } else if constexpr (std::is_same_v<Part, model::EpochBegin>) {
          epoch_threads_ = runs_.threads.size();
          pids_.clear();
        } else if constexpr (std::is_same_v<Part, model::ProcessDef>) {
          AddProcess(part);
        } else if constexpr (std::is_same_v<Part, model::ThreadDef>) {
          AddThread(part);
        } else if constexpr (std::is_same_v<Part, model::RunDef>) {
          AddRun(part);
        } else if constexpr (std::is_same_v<Part, model::CounterReading>) {
          AddReading(part);
        } else if constexpr (std::is_same_v<Part, model::Loss>) {
          Lose(part.count);
        } else if constexpr (std::is_same_v<Part, model::RecordingEnd>) {
          runs_.end ? Lose() : void(runs_.end = part);
        }
      },
      record);
  return {};
}

const Run* RunSetBuilder::current() const {
  return open_.empty() ? nullptr : &open_.begin()->second;
}

}  // namespace prof::analysis::counts
