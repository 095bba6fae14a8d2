// The table of thresholds.
#include "analysis/counts/verdicts.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "analysis/counts/value_text.h"

namespace prof::analysis::counts {
namespace {

// Below these a program mostly starts and ends.
constexpr double kLeastElapsedS = 0.05;
constexpr double kLeastCpuS = 0.01;

enum class When : std::uint8_t { kBelow, kAbove };

struct Threshold {
  std::string_view metric;
  When when;
  double limit;
  std::string_view subject;
  std::string_view meaning;
};

// Of the topdown categories the limits are those of Yasin's method as perf's metric tables have
// them ("A Top-Down method for performance analysis and counters architecture", ISPASS 2014):
// frontend and bad speculation 15 %, backend 20 %, retiring 70 %.
constexpr auto kThresholds = std::to_array<Threshold>({
    {"ipc", When::kBelow, 0.7, "IPC", "likely memory-bound or stalled"},
    {"ipc", When::kAbove, 2.5, "IPC", "the CPU is kept busy; fewer instructions would save time"},
    {"cpus-utilized", When::kBelow, 0.5, "CPUs utilized",
     "mostly waiting, not computing: look at off-CPU time"},
    {"cpus-utilized", When::kAbove, 1.05, "CPUs utilized", "so many CPUs busy on average"},
    {"branch-miss-rate", When::kAbove, 5, "branch misses",
     "many branches are guessed wrong; each costs 10 to 20 cycles"},
    {"cache-miss-rate", When::kAbove, 20, "cache misses",
     "many accesses that reach the last cache go on to memory"},
    {"l1d-miss-rate", When::kAbove, 10, "L1 data cache misses",
     "the data at work does not fit the first cache, or is walked through in leaps"},
    {"l1i-miss-rate", When::kAbove, 5, "L1 instruction cache misses",
     "the code at work does not fit the first cache"},
    {"llc-miss-rate", When::kAbove, 30, "last-level cache misses",
     "the data at work does not fit the caches: memory decides the speed"},
    {"dtlb-miss-rate", When::kAbove, 1, "dTLB misses",
     "data is spread over many pages: huge pages may help"},
    {"itlb-miss-rate", When::kAbove, 1, "iTLB misses",
     "code is spread over many pages: huge pages for code may help"},
    {"page-fault-rate", When::kAbove, 100'000, "page faults per second of CPU time",
     "memory is touched for the first time all the time: reusing it, or huge pages, may help"},
    {"context-switch-rate", When::kAbove, 20'000, "context switches per second of CPU time",
     "threads hand over very often: look for locks and small reads and writes"},
    {"migration-rate", When::kAbove, 1'000, "migrations per second of CPU time",
     "threads move between CPUs often and leave warm caches behind"},
    {"frontend-idle", When::kAbove, 30, "frontend cycles idle",
     "instructions come too slowly: large code, or jumps that are hard to foresee"},
    {"backend-idle", When::kAbove, 50, "backend cycles idle",
     "instructions wait for data or execution units"},
    {"frontend-bound", When::kAbove, 15, "frontend bound",
     "instructions come too slowly: large code, or jumps that are hard to foresee"},
    {"bad-speculation", When::kAbove, 15, "bad speculation",
     "work is thrown away after wrong guesses of branches"},
    {"backend-bound", When::kAbove, 20, "backend bound",
     "instructions wait for data or execution units"},
    {"retiring", When::kAbove, 70, "retiring",
     "the CPU does useful work; fewer or wider instructions would save time"},
    {"smt-contention", When::kAbove, 20, "SMT contention",
     "the other thread of the core takes the turns"},
});

// Rates are shown in K/sec and M/sec, and judged per second.
double PerSecond(const DerivedMetric& metric) {
  if (metric.unit.starts_with('K')) return metric.value * 1e3;
  if (metric.unit.starts_with('M')) return metric.value * 1e6;
  if (metric.unit.starts_with('G')) return metric.value * 1e9;
  return metric.value;
}

std::string NumberOf(const DerivedMetric& metric) {
  if (metric.is_percent) return PercentText(metric.value);
  if (metric.unit.ends_with("/sec")) return CountText(PerSecond(metric));
  return fmt::format("{:.2f}", metric.value);
}

// Few CPUs utilized because others had them is another matter, which the witnesses tell.
constexpr double kMuchWaiting = 0.1;
bool LackedCpus(const MetricInputs& inputs) {
  return inputs.waited_s >= kMuchWaiting * inputs.elapsed_s;
}

bool IsTooShort(const DerivedMetric& metric, const MetricInputs& inputs, double cpu_s) {
  if (metric.name == "cpus-utilized") return inputs.elapsed_s < kLeastElapsedS;
  return cpu_s > 0 && cpu_s < kLeastCpuS;
}

}  // namespace

std::string VerdictOn(const DerivedMetric& metric, const MetricInputs& inputs, double cpu_s) {
  if (IsTooShort(metric, inputs, cpu_s)) return {};
  if (metric.name == "cpus-utilized" && inputs.whole_cpus) return {};
  const double value = metric.unit.ends_with("/sec") ? PerSecond(metric) : metric.value;
  for (const Threshold& threshold : kThresholds) {
    if (threshold.metric != metric.name) continue;
    const bool is_out =
        threshold.when == When::kBelow ? value < threshold.limit : value >= threshold.limit;
    if (!is_out) continue;
    if (metric.name == "cpus-utilized" && threshold.when == When::kBelow && LackedCpus(inputs))
      return {};
    if (metric.name == "cpus-utilized" && threshold.when == When::kAbove) {
      return fmt::format("{:.2f} CPUs busy on average", value);
    }
    return fmt::format("{} {}: {}", threshold.subject, NumberOf(metric), threshold.meaning);
  }
  return {};
}

}  // namespace prof::analysis::counts
