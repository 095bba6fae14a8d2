// perf's comment column (linux/tools/perf/util/stat-shadow.c), with verdicts.
#include "prof/analysis/counts/derived_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/counts/event_role.h"
#include "analysis/counts/topdown.h"
#include "analysis/counts/verdicts.h"

namespace prof::analysis::counts {
namespace {

struct ShareRule {
  EventRole part;
  EventRole whole;
  const char* name;
  const char* unit;
};
constexpr auto kShares = std::to_array<ShareRule>({
    {EventRole::kBranchMisses, EventRole::kBranches, "branch-miss-rate", "of all branches"},
    {EventRole::kCacheMisses, EventRole::kCacheReferences, "cache-miss-rate", "of all cache refs"},
    {EventRole::kL1dLoadMisses, EventRole::kL1dLoads, "l1d-miss-rate", "of all L1-dcache accesses"},
    {EventRole::kL1iLoadMisses, EventRole::kL1iLoads, "l1i-miss-rate", "of all L1-icache accesses"},
    {EventRole::kLlcLoadMisses, EventRole::kLlcLoads, "llc-miss-rate", "of all LL-cache accesses"},
    {EventRole::kDtlbLoadMisses, EventRole::kDtlbLoads, "dtlb-miss-rate",
     "of all dTLB cache accesses"},
    {EventRole::kItlbLoadMisses, EventRole::kItlbLoads, "itlb-miss-rate",
     "of all iTLB cache accesses"},
    {EventRole::kStalledFrontend, EventRole::kCycles, "frontend-idle", "frontend cycles idle"},
    {EventRole::kStalledBackend, EventRole::kCycles, "backend-idle", "backend cycles idle"},
});

const char* RateName(EventRole role) {
  switch (role) {
    case EventRole::kPageFaults:
      return "page-fault-rate";
    case EventRole::kContextSwitches:
      return "context-switch-rate";
    case EventRole::kMigrations:
      return "migration-rate";
    default:
      return "rate";
  }
}

class Deriver {
 public:
  explicit Deriver(const MetricInputs& inputs)
      : inputs_(inputs), values_(inputs.events, inputs.values) {
    std::optional<double> clock_ns = values_.Any(EventRole::kTaskClock);
    if (!clock_ns) clock_ns = values_.Any(EventRole::kCpuClock);
    cpu_s_ = clock_ns.value_or(0) / 1e9;
  }

  std::vector<DerivedMetric> Derive() {
    const std::size_t events = std::min(inputs_.events.size(), inputs_.values.size());
    for (std::size_t event = 0; event < events; ++event) {
      const std::optional<double>& value = inputs_.values[event];
      if (!value || !std::isfinite(*value)) continue;
      std::optional<DerivedMetric> metric =
          BesideEvent(inputs_.events[event], values_.RoleAt(event), *value);
      if (!metric) continue;
      metric->event = static_cast<model::EventId>(event);
      Add(std::move(*metric));
    }
    if (auto stalled = StalledPerInstruction()) Add(std::move(*stalled));
    for (DerivedMetric& line : DeriveTopdown(values_, inputs_)) Add(std::move(line));
    return std::move(found_);
  }

 private:
  void Add(DerivedMetric metric) {
    if (!std::isfinite(metric.value)) return;
    metric.verdict = VerdictOn(metric, inputs_, cpu_s_);
    found_.push_back(std::move(metric));
  }

  std::optional<DerivedMetric> BesideEvent(const model::EventDesc& event, EventRole role,
                                           double value) const {
    if (IsTopdownInput(role)) return std::nullopt;
    const auto* share = std::ranges::find(kShares, role, &ShareRule::part);
    if (share != kShares.end()) {
      const auto whole = values_.Beside(event, share->whole);
      if (!whole || !(*whole > 0)) return std::nullopt;
      return DerivedMetric{.name = share->name,
                           .value = 100 * value / *whole,
                           .unit = share->unit,
                           .is_percent = true};
    }
    switch (role) {
      case EventRole::kTaskClock:
      case EventRole::kCpuClock:
        if (!(inputs_.elapsed_s > 0)) return std::nullopt;
        return DerivedMetric{.name = "cpus-utilized",
                             .value = value / 1e9 / inputs_.elapsed_s,
                             .unit = "CPUs utilized"};
      case EventRole::kCycles:
        if (!(cpu_s_ > 0)) return std::nullopt;
        return DerivedMetric{.name = "frequency", .value = value / cpu_s_ / 1e9, .unit = "GHz"};
      case EventRole::kInstructions: {
        const auto cycles = values_.Beside(event, EventRole::kCycles);
        if (!cycles || !(*cycles > 0)) return std::nullopt;
        return DerivedMetric{.name = "ipc", .value = value / *cycles, .unit = "insn per cycle"};
      }
      default:
        return Rate(event, role, value);
    }
  }

  // Not of what has a unit of its own: Joules are counted beside the clock of the target, not by
  // it.
  std::optional<DerivedMetric> Rate(const model::EventDesc& event, EventRole role,
                                    double value) const {
    const bool is_plain = event.scale_unit.empty() && event.unit == model::EventUnit::kCount;
    if (!(cpu_s_ > 0) || !is_plain) return std::nullopt;
    // perf's convert_unit_double.
    double rate = value / cpu_s_;
    std::string unit = "/sec";
    for (const char* larger : {"K/sec", "M/sec", "G/sec"}) {
      if (rate <= 1000) break;
      rate /= 1000;
      unit = larger;
    }
    return DerivedMetric{.name = RateName(role), .value = rate, .unit = unit};
  }

  // Of the frontend's and the backend's stalls the larger, as perf has it.
  std::optional<DerivedMetric> StalledPerInstruction() const {
    const model::EventDesc* instructions = values_.Find(EventRole::kInstructions);
    if (instructions == nullptr) return std::nullopt;
    const auto count = values_.Beside(*instructions, EventRole::kInstructions);
    const auto front = values_.Beside(*instructions, EventRole::kStalledFrontend);
    const auto back = values_.Beside(*instructions, EventRole::kStalledBackend);
    const double stalled = std::max(front.value_or(0), back.value_or(0));
    if (!count || !(*count > 0) || !(stalled > 0)) return std::nullopt;
    return DerivedMetric{
        .name = "stalled-per-insn", .value = stalled / *count, .unit = "stalled cycles per insn"};
  }

  const MetricInputs& inputs_;
  RoleValues values_;
  double cpu_s_ = 0;  // by the clock that was counted; 0: none
  std::vector<DerivedMetric> found_;
};

// The number behind "NAME<tab>: " at the start of a line; -1 if there is none.
int CpuinfoNumber(std::string_view cpuinfo, std::string_view name) {
  for (std::size_t at = cpuinfo.find(name); at != std::string_view::npos;
       at = cpuinfo.find(name, at + 1)) {
    if (at != 0 && cpuinfo[at - 1] != '\n') continue;
    std::string_view rest = cpuinfo.substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with(": ")) continue;  // "model name" is not "model"
    rest.remove_prefix(2);
    int number = -1;
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return number;
  }
  return -1;
}

}  // namespace

std::vector<DerivedMetric> DeriveMetrics(const MetricInputs& inputs) {
  return Deriver(inputs).Derive();
}

std::optional<double> SlotsPerCycle(std::string_view cpuinfo) {
  if (cpuinfo.find("AuthenticAMD") == std::string_view::npos) return std::nullopt;
  const int family = CpuinfoNumber(cpuinfo, "cpu family");
  const int model = CpuinfoNumber(cpuinfo, "model");
  // Families and models by linux/arch/x86/kernel/cpu/amd.c (bsp_init_amd).
  const auto is_between = [model](int low, int high) { return model >= low && model <= high; };
  if (family == 0x19 && (is_between(0x10, 0x1f) || is_between(0x60, 0xaf))) return 6;
  const bool is_zen5_model =
      is_between(0x00, 0x2f) || is_between(0x40, 0x4f) || is_between(0x60, 0x7f);
  if (family == 0x1a && is_zen5_model) return 8;
  return std::nullopt;
}

}  // namespace prof::analysis::counts
