// Everything `prof stat` says, as plain data: what the renderers of every format are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/counts/derived_metrics.h"
#include "prof/analysis/counts/quantity.h"
#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/statistics/comparison.h"
#include "prof/analysis/statistics/drift.h"
#include "prof/analysis/statistics/histogram.h"
#include "prof/analysis/statistics/outliers.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::counts {

// Where a CPU sits, from /sys/devices/system/cpu/cpuN/topology and node*; by CPU number.
struct CpuPlace {
  std::uint32_t cpu = 0;
  std::uint32_t socket = 0;
  std::uint32_t die = 0;
  std::uint32_t core = 0;
  std::uint32_t node = 0;
};

enum class Aggregation : std::uint8_t { kTotal, kCpu, kCore, kSocket, kNode, kThread };

enum class CountState : std::uint8_t {
  kCounted,
  kNotCounted,    // it was open, but never had a counter (or its task never ran)
  kNotSupported,  // refused: see StatReport::refused
};

// One counted number: of one run, or the mean over runs.
struct StatValue {
  std::string label;             // "CPU0", "S0-D0-C1", "S0", "N0", "comm-tid"; empty for kTotal
  std::uint32_t aggregated = 0;  // CPUs in it, for core, socket and node
  model::EventId event = 0;
  CountState state = CountState::kCounted;
  double value = 0;              // in `unit`
  std::string unit;              // "msec", "Joules", ""
  std::uint64_t running_ns = 0;  // perf's event-runtime: the time with a counter
  double counted_share = 1;      // below 1: multiplexed, `value` is scaled (unless --no-scale)
  std::optional<DerivedMetric> metric;  // the comment of this row
  // With more than one run. Its `trust` is left out of counts below 10, and below of user and
  // system times below 40 ms, which vary by chance.
  std::optional<statistics::Summary> repeats;
};

// A time, the memory or a --metric.
struct StatQuantity {
  Quantity quantity;
  double value = 0;                            // of the only run, or the mean
  std::optional<statistics::Summary> repeats;  // with more than one run
  std::optional<statistics::Drift> drift;
};

// A run far from the others, and what the kernel says happened to it.
struct ExplainedOutlier {
  std::uint32_t run = 0;  // of its side, from 1 as people count
  Quantity quantity;
  double value = 0;
  double median = 0;
  // The strongest first, in words: "waited 0.41 s for a CPU", "3,012 major page faults". Only what
  // stands out against the other runs of its side. Empty: nothing that the kernel reports does.
  std::vector<std::string> causes;
};

// A witness large enough to doubt the numbers.
struct NoiseWarning {
  std::uint64_t model::RunNoise::*witness = nullptr;
  std::string words;  // "waited 0.41 s for a CPU (5.3 % of the time)"
};

// What disturbed the runs of a side: sums over them, or the only one.
struct NoiseLine {
  model::RunNoise total;
  double elapsed_s = 0;
  std::vector<NoiseWarning> warnings;
};

struct RunRow {           // of --table
  std::uint32_t run = 0;  // from 1
  double elapsed_s = 0;
  double difference_s = 0;  // to the mean, as perf has it
  model::RunNoise noise;
};

struct StatSide {
  model::SideDef side;
  std::size_t runs = 0;
  std::vector<StatValue> values;                   // by label, then event
  std::vector<StatQuantity> quantities;            // without events: metrics, times, memory
  std::vector<DerivedMetric> metrics;              // that have no row: topdown, ...
  std::vector<std::string> verdicts;               // of all derived metrics: one line each
  std::vector<ExplainedOutlier> outliers;          // of the headline quantity
  std::vector<std::string> drifts;                 // one line each quantity that drifts
  std::optional<statistics::Histogram> histogram;  // of the headline quantity; 10 runs and up
  NoiseLine noise;
  std::vector<RunRow> table;
};

// Side 0 (B) against another one (A): ratios are B / A.
struct QuantityComparison {
  Quantity quantity;
  statistics::Comparison comparison;
  double p = 1;  // Mann-Whitney's, after Holm's correction over the sides
  statistics::Verdict verdict = statistics::Verdict::kNoDifferenceShown;
};
struct SideComparison {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  // The first is the headline; none where one of the sides has no value of the headline.
  std::vector<QuantityComparison> quantities;
  std::vector<std::string> unusable;  // quantities without values on one side, and why
  // One sentence without the names of the sides: "faster by 14.2 % (12.9 to 15.6, p = 0.0002)".
  std::string verdict;
  std::vector<std::string> reasons;  // for kTooNoisy and kTooFewRuns, and what would help
};

struct RefusedLine {  // one line for all events with the same reason
  std::vector<std::string> events;
  std::string reason;
  std::string hint;
  bool all_default = false;  // nobody asked for them
};

struct StatReport {
  model::TargetKind target = model::TargetKind::kCommand;
  // "'./app -x'", "process id '1'", "thread id '7'", "system wide", "CPU(s) 0-1": of an attached
  // target SideDef::text holds the ids.
  std::string target_text;
  Aggregation aggregation = Aggregation::kTotal;
  std::vector<model::EventDesc> events;  // index: EventId
  std::vector<StatSide> sides;
  std::vector<SideComparison> comparisons;
  std::vector<RefusedLine> refused;
  // "counted in user space only: kernel.perf_event_paranoid is 2", multiplexing, damaged files, ...
  std::vector<std::string> notes;
  std::optional<double> interval_s;  // the values are of an interval that ended then
};

struct StatReportOptions {
  Aggregation aggregation = Aggregation::kTotal;
  bool scale = true;
  std::vector<CpuPlace> topology;  // for core, socket and node
  double alpha = 0.05;
  std::optional<double> slots_per_cycle;  // MetricInputs
};

StatReport BuildStatReport(const RunSet& runs, const StatReportOptions& options);

// What was counted between two looks at a run that goes on: `now` less `before` (null: since its
// start). `until_s`: seconds from its start to now. Run::latest_ns of both tells how long that
// took.
StatReport BuildIntervalReport(const RunSet& runs, const Run& now, const Run* before,
                               double until_s, const StatReportOptions& options);

// Whether side 0 is worse than side `a` by at least `percent` of the headline quantity, and that
// with significance: the gate of --fail-if-slower.
bool IsWorseBy(const SideComparison& comparison, double percent);

}  // namespace prof::analysis::counts
