#include "prof/analysis/statistics/comparison.h"

#include <algorithm>
#include <cmath>

#include "prof/analysis/statistics/power.h"

namespace prof::analysis::statistics {
namespace {

SideNoise NoiseOf(const Sample& sample, const Summary& summary) {
  const std::optional<Drift> drift = FindDrift(sample);
  return {.spread = summary.trust == Trust::kInvestigate,
          .drift = drift && drift->found,
          .outliers = FindOutliers(sample)};
}

std::optional<double> SmallestChange(const Comparison& comparison) {
  if (comparison.ratio && comparison.ratio->interval) {
    const Interval& ratio = *comparison.ratio->interval;
    return std::expm1(SmallestDetectable({std::log(ratio.low), std::log(ratio.high)}));
  }
  if (comparison.ratio || !comparison.shift.interval || comparison.a.median == 0) {
    return std::nullopt;
  }
  return SmallestDetectable(*comparison.shift.interval) / std::abs(comparison.a.median);
}

double AtLeastOne(std::size_t comparisons) {
  return static_cast<double>(std::max<std::size_t>(comparisons, 1));
}

}  // namespace

Comparison Compare(const Sample& a, const Sample& b, const ComparisonOptions& options) {
  Comparison result{.a = Summarize(a),
                    .b = Summarize(b),
                    .shift = ShiftOf(a, b),
                    .ratio = RatioOf(a, b),
                    .mann_whitney = TestMannWhitney(a, b),
                    .permutation = TestMeansByPermutation(a, b),
                    .welch = TestWelch(a, b),
                    .effect = EffectSizeOf(a, b)};
  result.median_difference = result.b.median - result.a.median;
  if (result.a.median != 0) result.median_ratio = result.b.median / result.a.median;
  result.noise_a = NoiseOf(a, result.a);
  result.noise_b = NoiseOf(b, result.b);
  result.smallest_p = SmallestReachableP(a.size(), b.size());
  result.runs_needed = RunsForComparison(options.alpha / AtLeastOne(options.comparisons));
  result.smallest_change = SmallestChange(result);
  return result;
}

Verdict Judge(const Comparison& comparison, double p, const ComparisonOptions& options) {
  if (comparison.smallest_p * AtLeastOne(options.comparisons) > options.alpha) {
    return Verdict::kTooFewRuns;
  }
  const double same = comparison.ratio ? 1 : 0;
  const Shift& difference = comparison.ratio ? *comparison.ratio : comparison.shift;
  if (p <= options.alpha && difference.interval && !difference.interval->Contains(same)) {
    return difference.estimate < same ? Verdict::kLower : Verdict::kHigher;
  }
  const bool noisy =
      comparison.smallest_change && *comparison.smallest_change > options.noisy_change;
  return noisy ? Verdict::kTooNoisy : Verdict::kNoDifferenceShown;
}

}  // namespace prof::analysis::statistics
