// Yasin, "A Top-Down method for performance analysis and counters architecture", ISPASS 2014, by
// the events of each maker.
#include "analysis/counts/topdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace prof::analysis::counts {
namespace {

// Shares of all slots.
struct Categories {
  double retiring = 0;
  double bad_speculation = 0;
  double frontend_bound = 0;
  double backend_bound = 0;
  std::optional<double> smt_contention;
};

// The values of `roles` beside the first of them; none unless all are there.
template <std::size_t kSize>
std::optional<std::array<double, kSize>> All(const RoleValues& values,
                                             const std::array<EventRole, kSize>& roles) {
  const model::EventDesc* first = values.Find(roles[0]);
  if (first == nullptr) return std::nullopt;
  std::array<double, kSize> found{};
  for (std::size_t i = 0; i < kSize; ++i) {
    const auto value = values.Beside(*first, roles[i]);
    if (!value) return std::nullopt;
    found[i] = *value;
  }
  return found;
}

// Ice Lake on: the four metrics share out the slots. Their sum is the base, as in perf's
// stat-shadow.c (td_metric_ratio), because the slots were read at another moment.
std::optional<Categories> OfPerfMetrics(const RoleValues& values) {
  const auto counts = All<4>(values, {EventRole::kRetiringSlots, EventRole::kBadSpeculationSlots,
                                      EventRole::kFrontendSlots, EventRole::kBackendSlots});
  if (!counts) return std::nullopt;
  const auto& [retiring, bad, frontend, backend] = *counts;
  const double sum = retiring + bad + frontend + backend;
  if (!(sum > 0)) return std::nullopt;
  return Categories{.retiring = retiring / sum,
                    .bad_speculation = bad / sum,
                    .frontend_bound = frontend / sum,
                    .backend_bound = backend / sum};
}

// Intel before Ice Lake, as in perf's stat-shadow.c (td_retiring, td_bad_spec, td_fe_bound,
// td_be_bound).
std::optional<Categories> OfSlotEvents(const RoleValues& values) {
  const auto counts =
      All<5>(values, {EventRole::kTotalSlots, EventRole::kSlotsIssued, EventRole::kSlotsRetired,
                      EventRole::kFetchBubbles, EventRole::kRecoveryBubbles});
  if (!counts) return std::nullopt;
  const auto& [total, issued, retired, fetch_bubbles, recovery_bubbles] = *counts;
  if (!(total > 0)) return std::nullopt;
  Categories shares{.retiring = retired / total,
                    .bad_speculation = (issued - retired + recovery_bubbles) / total,
                    .frontend_bound = fetch_bubbles / total};
  shares.backend_bound = 1 - shares.retiring - shares.bad_speculation - shares.frontend_bound;
  return shares;
}

// AMD from Zen 4 on: linux/tools/perf/pmu-events/arch/x86/amdzen4/pipeline.json, whose 6 slots are
// 8 in amdzen5.
std::optional<Categories> OfAmd(const RoleValues& values, std::optional<double> slots_per_cycle) {
  const auto counts = All<5>(values, {EventRole::kAmdCycles, EventRole::kAmdNoOpsFromFrontend,
                                      EventRole::kAmdBackendStalls, EventRole::kAmdOpsRetired,
                                      EventRole::kAmdOpsDispatched});
  if (!counts || !slots_per_cycle) return std::nullopt;
  const auto& [cycles, no_ops, stalls, retired, dispatched] = *counts;
  const double slots = *slots_per_cycle * cycles;
  if (!(slots > 0)) return std::nullopt;
  Categories shares{.retiring = retired / slots,
                    .bad_speculation = (dispatched - retired) / slots,
                    .frontend_bound = no_ops / slots,
                    .backend_bound = stalls / slots};
  if (const auto contention = values.Any(EventRole::kAmdSmtContention)) {
    shares.smt_contention = *contention / slots;
  }
  return shares;
}

// arm64 with the stall_slot events of Armv8.4's PMU:
// linux/tools/perf/pmu-events/arch/arm64/sbsa.json.
std::optional<Categories> OfArm(const RoleValues& values, std::optional<double> slots_per_cycle) {
  const auto counts = All<6>(
      values, {EventRole::kArmCycles, EventRole::kStallSlot, EventRole::kStallSlotFrontend,
               EventRole::kStallSlotBackend, EventRole::kOpsRetired, EventRole::kOpsSpeculated});
  if (!counts || !slots_per_cycle) return std::nullopt;
  const auto& [cycles, stalled, frontend, backend, retired, speculated] = *counts;
  const double slots = *slots_per_cycle * cycles;
  if (!(slots > 0) || !(speculated > 0)) return std::nullopt;
  const double used = 1 - stalled / slots;
  const double good = retired / speculated;
  return Categories{.retiring = good * used,
                    .bad_speculation = (1 - good) * used,
                    .frontend_bound = frontend / slots,
                    .backend_bound = backend / slots};
}

// Counters that were not read at one moment give shares a little outside of 0 to 1.
DerivedMetric Line(const char* name, const char* unit, double share) {
  return {
      .name = name, .value = 100 * std::clamp(share, 0.0, 1.0), .unit = unit, .is_percent = true};
}

}  // namespace

std::vector<DerivedMetric> DeriveTopdown(const RoleValues& values, const MetricInputs& inputs) {
  std::optional<Categories> shares = OfPerfMetrics(values);
  if (!shares) shares = OfSlotEvents(values);
  if (!shares) shares = OfAmd(values, inputs.slots_per_cycle);
  if (!shares) shares = OfArm(values, inputs.slots_per_cycle);
  if (!shares) return {};
  std::vector<DerivedMetric> lines = {
      Line("retiring", "retiring", shares->retiring),
      Line("bad-speculation", "bad speculation", shares->bad_speculation),
      Line("frontend-bound", "frontend bound", shares->frontend_bound),
      Line("backend-bound", "backend bound", shares->backend_bound)};
  if (shares->smt_contention) {
    lines.push_back(Line("smt-contention", "SMT contention", *shares->smt_contention));
  }
  return lines;
}

}  // namespace prof::analysis::counts
