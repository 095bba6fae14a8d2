// Reports as the analysis of `prof stat` makes them, for the tests of every renderer.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report::test {

namespace counts = analysis::counts;
namespace statistics = analysis::statistics;

inline constexpr model::EventId kTaskClock = 0;
inline constexpr model::EventId kSwitches = 1;
inline constexpr model::EventId kFaults = 2;
inline constexpr model::EventId kCycles = 3;

inline std::vector<model::EventDesc> DefaultEvents() {
  std::vector<model::EventDesc> events(4);
  events[kTaskClock].name = "task-clock";
  events[kTaskClock].unit = model::EventUnit::kNanoseconds;
  events[kSwitches].name = "context-switches";
  events[kFaults].name = "page-faults";
  events[kCycles].name = "cycles";
  events[kCycles].refused = "no hardware counters on this machine";
  for (model::EventDesc& event : events) event.is_default = true;
  return events;
}

inline counts::StatValue Counted(model::EventId event, double value, std::string unit = "") {
  counts::StatValue counted;
  counted.event = event;
  counted.value = value;
  counted.unit = std::move(unit);
  counted.running_ns = 731'209;
  return counted;
}

inline counts::DerivedMetric Metric(std::optional<model::EventId> event, std::string name,
                                    double value, std::string unit, bool is_percent = false) {
  return {.event = event,
          .name = std::move(name),
          .value = value,
          .unit = std::move(unit),
          .is_percent = is_percent,
          .verdict = ""};
}

inline counts::Quantity Elapsed() {
  return {counts::QuantityKind::kElapsed, 0, "time elapsed", "seconds"};
}

inline counts::StatQuantity Single(counts::Quantity quantity, double value) {
  return {.quantity = std::move(quantity), .value = value, .repeats = {}, .drift = {}};
}

inline statistics::Summary SummaryOf(std::vector<double> values) {
  return statistics::Summarize(*statistics::Sample::Create(std::move(values)));
}

inline counts::StatQuantity Repeated(counts::Quantity quantity, std::vector<double> values) {
  counts::StatQuantity repeated;
  repeated.quantity = std::move(quantity);
  repeated.repeats = SummaryOf(std::move(values));
  repeated.value = repeated.repeats->mean;
  return repeated;
}

inline counts::StatValue RepeatedCount(model::EventId event, std::vector<double> values,
                                       std::string unit = "") {
  counts::StatValue counted = Counted(event, 0, std::move(unit));
  counted.repeats = SummaryOf(std::move(values));
  counted.value = counted.repeats->mean;
  return counted;
}

inline counts::StatValue Refused(model::EventId event) {
  counts::StatValue value;
  value.event = event;
  value.state = counts::CountState::kNotSupported;
  return value;
}

inline counts::RefusedLine NoHardware() {
  return {.events = {"cycles", "instructions", "branches", "branch-misses"},
          .reason = "no hardware counters on this machine",
          .hint = "a virtual machine gets them where its host gives it a PMU",
          .all_default = true};
}

// `true`, once, on a machine without a PMU.
inline counts::StatReport SingleRun() {
  counts::StatReport report;
  report.target_text = "'true'";
  report.events = DefaultEvents();
  report.refused = {NoHardware()};
  counts::StatSide side;
  side.side.text = "true";
  side.runs = 1;
  side.values = {Counted(kTaskClock, 0.731209, "msec"), Counted(kSwitches, 1), Counted(kFaults, 75),
                 Refused(kCycles)};
  side.values[0].metric = Metric(kTaskClock, "cpus-utilized", 0.434, "CPUs utilized");
  side.values[1].metric = Metric(kSwitches, "switch-rate", 1.378, "K/sec");
  side.values[2].metric = Metric(kFaults, "fault-rate", 102.57, "K/sec");
  side.quantities = {Single(Elapsed(), 0.001673517),
                     Single({counts::QuantityKind::kUser, 0, "user", "seconds"}, 0.001568),
                     Single({counts::QuantityKind::kSystem, 0, "sys", "seconds"}, 0),
                     Single({counts::QuantityKind::kMaxRss, 0, "max rss", "MB"}, 3.4)};
  side.noise.elapsed_s = 0.001673517;
  side.noise.total.wait_ns = 300'000;
  side.noise.total.involuntary_switches = 2;
  side.noise.total.major_faults = 0;
  side.noise.total.migrations = 0;
  side.noise.total.other_cpu_ns = 167'352;
  report.sides = {side};
  report.notes = {"counted in user space only: kernel.perf_event_paranoid is 2"};
  return report;
}

// A CPU with too few counters, and topdown.
inline counts::StatReport Multiplexed() {
  counts::StatReport report = SingleRun();
  report.target_text = "'./matmul --size=2000'";
  report.refused.clear();
  report.notes.clear();
  report.events.resize(6);
  report.events[4].name = "instructions:u";
  report.events[5].name = "cpu/event=0xd1,umask=0x20,name=mem_load_retired.l3_miss/";
  counts::StatSide& side = report.sides[0];
  side.values[3] = Counted(kCycles, 4'812'345'678);
  side.values[3].metric = Metric(kCycles, "frequency", 3.412, "GHz");
  side.values.push_back(Counted(4, 2'887'407'406));
  side.values.back().metric = Metric(4, "ipc", 0.6, "insn per cycle");
  side.values.push_back(Counted(5, 91'234'567));
  side.values.back().counted_share = 0.3321;
  side.values.back().metric = Metric(5, "l3-miss-rate", 12.345, "of all L3 accesses", true);
  side.metrics = {Metric({}, "frontend-bound", 8.25, "% frontend bound", true),
                  Metric({}, "backend-bound", 61.5, "% backend bound", true)};
  side.verdicts = {"IPC 0.6: likely memory-bound or stalled"};
  return report;
}

// Ten runs of which the seventh had to wait; the command's output has a number.
inline counts::StatSide TenRuns(const std::string& text, double factor) {
  const std::vector<double> shape = {0.901, 0.893, 0.898, 0.912, 0.897,
                                     0.904, 1.310, 0.895, 0.909, 0.900};
  const auto times = [&](double by) {
    std::vector<double> values;
    for (const double value : shape) values.push_back(value * by * factor);
    return values;
  };
  counts::StatSide side;
  side.side.text = text;
  side.runs = shape.size();
  side.values = {
      RepeatedCount(kTaskClock, times(880), "msec"),
      RepeatedCount(kSwitches, {3, 4, 3, 5, 3, 4, 61, 3, 4, 3}),
      RepeatedCount(kFaults, {1375, 1375, 1375, 1375, 1375, 1375, 1375, 1375, 1375, 1375})};
  side.values[0].metric = Metric(kTaskClock, "cpus-utilized", 0.978, "CPUs utilized");
  side.quantities = {
      Repeated(Elapsed(), times(1)),
      Repeated({counts::QuantityKind::kUser, 0, "user", "seconds"}, times(0.85)),
      Repeated({counts::QuantityKind::kMaxRss, 0, "max rss", "MB"}, std::vector<double>(10, 12.4))};
  side.outliers = {{7, Elapsed(), 1.310 * factor, 0.9005 * factor, {"waited 0.41 s for a CPU"}}};
  side.drifts = {
      "time elapsed drifts: the last third took 1.2 % longer than the first (p = 0.004)"};
  side.histogram = statistics::HistogramOf(*statistics::Sample::Create(times(1)));
  side.noise.elapsed_s = side.quantities[0].value * 10;
  side.noise.total.wait_ns = 431'000'000;
  side.noise.total.involuntary_switches = 1063;
  side.noise.warnings = {{&model::RunNoise::other_cpu_ns,
                          "other programs used 14 s of CPU meanwhile (149 % of the time)"}};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    counts::RunRow row;
    row.run = static_cast<std::uint32_t>(i + 1);
    row.elapsed_s = shape[i] * factor;
    row.difference_s = row.elapsed_s - side.quantities[0].value;
    row.noise.wait_ns = i == 6 ? 410'000'000 : 2'300'000;
    row.noise.involuntary_switches = i == 6 ? 58 : 0;
    side.table.push_back(row);
  }
  return side;
}

inline counts::StatReport TenRunsReport() {
  counts::StatReport report = SingleRun();
  report.target_text = "'./x'";
  report.notes.clear();
  report.sides = {TenRuns("./x", 1)};
  return report;
}

inline counts::QuantityComparison Compared(counts::Quantity quantity, std::vector<double> a,
                                           std::vector<double> b) {
  counts::QuantityComparison compared;
  compared.quantity = std::move(quantity);
  compared.comparison = statistics::Compare(*statistics::Sample::Create(std::move(a)),
                                            *statistics::Sample::Create(std::move(b)));
  compared.p = compared.comparison.mann_whitney.p;
  compared.verdict = statistics::Judge(compared.comparison, compared.p);
  return compared;
}

// './new' against './old', and against a third side that shows nothing.
inline counts::StatReport OldAgainstNew() {
  counts::StatReport report = SingleRun();
  report.notes.clear();
  report.sides = {TenRuns("./new", 0.858), TenRuns("./old --with='some words'", 1),
                  TenRuns("./other", 0.859)};
  const std::vector<double> a = {0.901, 0.893, 0.898, 0.912, 0.897,
                                 0.904, 0.899, 0.895, 0.909, 0.900};
  std::vector<double> b;
  for (std::size_t i = 0; i < a.size(); ++i) b.push_back(a[a.size() - 1 - i] * 0.858);
  counts::SideComparison decided;
  decided.a = 1;
  decided.quantities = {
      Compared(Elapsed(), a, b),
      Compared({counts::QuantityKind::kSystem, 0, "sys", "seconds"},
               {0.0012, 0.0015, 0.0011, 0.0013}, {0.0013, 0.0012, 0.0014, 0.0011}),
      Compared({counts::QuantityKind::kMetric, 0, "throughput", "", true}, {801, 805, 803, 799},
               {911, 915, 917, 913}),
      Compared({counts::QuantityKind::kEvent, kFaults, "page-faults", ""}, {1375, 1376, 1375, 1375},
               {2'411'375, 2'411'379, 2'411'375, 2'411'371}),
      Compared({counts::QuantityKind::kEvent, kSwitches, "context-switches", ""}, {0, 0, 0},
               {0, 1, 0})};
  decided.verdict = "faster by 14.2 % (12.9 to 15.6, p = 0.0002)";
  decided.unusable = {"cycles: not counted on either side"};
  counts::SideComparison noisy;
  noisy.a = 2;
  noisy.quantities = {Compared(Elapsed(), {0.5, 0.9, 1.3, 0.7, 1.1}, {0.6, 1.0, 1.2, 0.8, 0.9})};
  noisy.verdict = "too noisy to tell (a change below 54 % would not show)";
  noisy.reasons = {
      "the values of './other' scatter by 31 %: 40 runs would do for a change of 10 %"};
  report.comparisons = {decided, noisy};
  return report;
}

// Two labels of whatever kind, two events each.
inline counts::StatReport Labelled(counts::Aggregation aggregation, const std::string& first,
                                   const std::string& second, std::uint32_t cpus) {
  counts::StatReport report = SingleRun();
  report.target = model::TargetKind::kSystem;
  report.target_text = "system wide";
  report.aggregation = aggregation;
  report.notes.clear();
  counts::StatSide& side = report.sides[0];
  side.values.clear();
  for (const std::string& label : {first, second}) {
    for (const auto& [event, value] : {std::pair{kTaskClock, 51.49}, std::pair{kSwitches, 15.0}}) {
      side.values.push_back(Counted(event, value, event == kTaskClock ? "msec" : ""));
      side.values.back().label = label;
      side.values.back().aggregated = cpus;
    }
    side.values.back().metric = Metric(kSwitches, "switch-rate", 291.301, "/sec");
  }
  side.values.back().state = counts::CountState::kNotCounted;
  side.quantities.resize(1);
  return report;
}

}  // namespace prof::report::test
