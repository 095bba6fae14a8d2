// Tests the difference of the means of runs.
#include "analysis/diff/total_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "prof/analysis/statistics/comparison.h"
#include "prof/analysis/statistics/means.h"
#include "prof/analysis/statistics/power.h"

namespace prof::analysis::diff {
namespace {

using statistics::Interval;
using statistics::PMethod;
using statistics::Sample;

constexpr double kConfidence = 0.95;
constexpr double kNoisyChange = 0.10;
// Halvings of a bracket: its ends are good to 1e-9 of it.
constexpr int kHalvings = 30;

// p of the hypothesis that `after` lies by `shift` above `before`.
double PermutationP(const Sample& before, const Sample& after, double shift) {
  std::vector<double> moved(after.values().begin(), after.values().end());
  for (double& value : moved) value -= shift;
  const auto sample = Sample::Create(std::move(moved));
  return sample ? statistics::TestMeansByPermutation(before, *sample).p : 0;
}

// The shifts that the exact permutation test does not refute, so that interval and p say the same:
// Garthwaite, "Confidence intervals from randomization tests", Biometrics 52 (1996). They lie
// around the difference of the means, p being 1 there and falling on either side; no shift beyond
// the range of all values is ever in doubt.
Interval NotRefuted(const Sample& before, const Sample& after, double difference) {
  const double range = std::max(before.max(), after.max()) - std::min(before.min(), after.min());
  const auto end = [&](double far) {
    double inside = difference;
    double outside = difference + far;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = inside + (outside - inside) / 2;
      const bool refuted = PermutationP(before, after, middle) <= 1 - kConfidence;
      (refuted ? outside : inside) = middle;
    }
    return inside;
  };
  return {.low = end(-2 * range), .high = end(2 * range)};
}

Interval IntervalOf(const Sample& before, const Sample& after,
                    const statistics::Permutation& permutation) {
  const double smallest = statistics::SmallestReachableP(before.size(), after.size());
  if (permutation.method == PMethod::kExact && smallest <= 1 - kConfidence) {
    return NotRefuted(before, after, permutation.difference);
  }
  // Without any spread the difference is all there is.
  const auto welch = statistics::TestWelch(before, after, kConfidence);
  return welch ? welch->interval : Interval{permutation.difference, permutation.difference};
}

// The total of a run is known to a sample only: with the phase of sampling left to chance, the
// number of samples has a variance of f (1 - f), f the fraction of a sample that is left over, at
// most 1/4. Runs that agree to the sample do not prove that they agree any better.
Interval WidenedForSampling(const Interval& interval, double difference, const SideTotals& before,
                            const SideTotals& after) {
  const auto variance = [](const SideTotals& side) {
    const auto runs = static_cast<double>(side.runs.size());
    if (side.samples == 0) return 0.0;
    const double quantum = side.mean * runs / static_cast<double>(side.samples);
    return quantum * quantum / 4 / runs;
  };
  constexpr double kNormal = 1.96;  // kConfidence
  const double half = kNormal * std::sqrt(variance(before) + variance(after));
  return {.low = difference - std::hypot(difference - interval.low, half),
          .high = difference + std::hypot(interval.high - difference, half)};
}

std::string RunsText(const std::vector<statistics::Outlier>& outliers) {
  constexpr std::size_t kNamed = 5;
  std::string runs;
  for (std::size_t at = 0; at < std::min(outliers.size(), kNamed); ++at) {
    runs += fmt::format("{}{}", at == 0 ? "" : ", ", outliers[at].run + 1);
  }
  if (outliers.size() > kNamed) runs += ", ...";
  return (outliers.size() == 1 ? "run " : "runs ") + runs;
}

void AddNoise(const char* side, const Sample& sample, std::vector<std::string>& reasons) {
  const statistics::Summary summary = statistics::Summarize(sample);
  if (summary.trust == statistics::Trust::kInvestigate) {
    reasons.push_back(
        fmt::format("{} varies by {:.0f} % from run to run", side, 100 * *summary.variation));
  }
  const auto drift = statistics::FindDrift(sample);
  if (drift && drift->found) {
    const std::string by =
        drift->relative ? fmt::format(" by {:.1f} %", 100 * std::abs(*drift->relative)) : "";
    reasons.push_back(fmt::format("{} {}{} while its runs go on", side,
                                  drift->shift < 0 ? "falls" : "rises", by));
  }
  const auto outliers = statistics::FindOutliers(sample);
  if (!outliers.empty()) {
    reasons.push_back(fmt::format("{} of {} {} far from the others", RunsText(outliers), side,
                                  outliers.size() == 1 ? "lies" : "lie"));
  }
}

SideTotals SideOf(const EventUnits& units, Side side) {
  SideTotals totals;
  for (const EventRun& run : units.runs) {
    if (run.side != side) continue;
    totals.runs.push_back(run.AmountOf(run.event->total.weight));
    totals.samples += run.event->total.samples;
    totals.mean += totals.runs.back();
    totals.whole += totals.runs.back() + run.AmountOf(run.event->filtered.weight);
  }
  totals.mean /= static_cast<double>(totals.runs.size());
  totals.whole /= static_cast<double>(totals.runs.size());
  return totals;
}

TotalVerdict Judge(const TotalChange& total, double alpha) {
  if (!total.change.test || total.smallest_p > alpha) return TotalVerdict::kTooFewRuns;
  if (total.change.test->significant) {
    return total.change.Delta() < 0 ? TotalVerdict::kLower : TotalVerdict::kHigher;
  }
  // Of both sides' mean: which one is called before makes no difference.
  const double size = (total.change.before + total.change.after) / 2;
  return total.change.test->detectable > kNoisyChange * size ? TotalVerdict::kTooNoisy
                                                             : TotalVerdict::kNoDifferenceShown;
}

}  // namespace

Status CompareTotals(const EventUnits& units, double alpha, EventDiff& diff) {
  diff.before = SideOf(units, Side::kBefore);
  diff.after = SideOf(units, Side::kAfter);
  TotalChange& total = diff.total;
  total.change = {.before = diff.before.mean,
                  .after = diff.after.mean,
                  .before_samples = diff.before.samples,
                  .after_samples = diff.after.samples};
  PROF_TRY_ASSIGN(const Sample before, Sample::Create(diff.before.runs));
  PROF_TRY_ASSIGN(const Sample after, Sample::Create(diff.after.runs));
  total.smallest_p = statistics::SmallestReachableP(before.size(), after.size());
  total.runs_needed = statistics::RunsForComparison(alpha);
  AddNoise("before", before, total.noise);
  AddNoise("after", after, total.noise);
  if (before.size() < 2 || after.size() < 2) return {};
  const statistics::Permutation permutation = statistics::TestMeansByPermutation(before, after);
  const double difference = permutation.difference;
  const Interval interval = WidenedForSampling(IntervalOf(before, after, permutation), difference,
                                               diff.before, diff.after);
  total.change.test = ChangeTest{.interval = interval,
                                 .p = permutation.p,
                                 .adjusted_p = permutation.p,
                                 .significant = permutation.p <= alpha && !interval.Contains(0),
                                 .detectable = statistics::SmallestDetectable(interval)};
  total.verdict = Judge(total, alpha);
  const double from = total.change.before;
  if (!(from > 0)) return {};
  total.share = total.change.Delta() / from;
  total.share_interval = Interval{interval.low / from, interval.high / from};
  total.detectable_share = total.change.test->detectable / from;
  return {};
}

}  // namespace prof::analysis::diff
