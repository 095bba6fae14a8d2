// Limits below which nothing is judged.
#include "analysis/counts/trust.h"

namespace prof::analysis::counts {
namespace {

constexpr double kFewCounts = 10;
// The kernel knows a task's CPU time exactly, but divides it between user and system by what its
// clock ticks met (kernel/sched/cputime.c): ten ticks of 4 ms, as most distributions have them.
constexpr double kFewTicksS = 0.04;

}  // namespace

void LeaveSmallUnjudged(const Quantity& quantity, statistics::Summary& summary) {
  const bool divided =
      quantity.kind == QuantityKind::kUser || quantity.kind == QuantityKind::kSystem;
  const bool counted = quantity.kind == QuantityKind::kEvent && quantity.unit.empty();
  if ((divided && summary.mean < kFewTicksS) || (counted && summary.mean < kFewCounts))
    summary.trust.reset();
}

}  // namespace prof::analysis::counts
