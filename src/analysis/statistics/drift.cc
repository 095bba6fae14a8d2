#include "prof/analysis/statistics/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "analysis/statistics/distributions.h"

#include "prof/analysis/statistics/mann_whitney.h"
#include "prof/analysis/statistics/shift.h"

namespace prof::analysis::statistics {
namespace {

// Sorts and returns the pairs that stood the wrong way round.
std::int64_t SortCountingInversions(std::span<double> values) {
  if (values.size() < 2) return 0;
  const std::span<double> left = values.first(values.size() / 2);
  const std::span<double> right = values.subspan(left.size());
  std::int64_t inversions = SortCountingInversions(left) + SortCountingInversions(right);
  for (std::size_t i = 0, j = 0; i < left.size(); ++i) {
    while (j < right.size() && right[j] < left[i]) ++j;
    inversions += static_cast<std::int64_t>(j);
  }
  std::vector<double> merged(values.size());
  std::merge(left.begin(), left.end(), right.begin(), right.end(), merged.begin());
  std::copy(merged.begin(), merged.end(), values.begin());
  return inversions;
}

// P(|S| >= |s|) over all orders of n different values: permutations counted by their inversions.
double ExactTrendP(std::size_t n, std::int64_t s) {
  const std::size_t pairs = n * (n - 1) / 2;
  const std::size_t inversions = (pairs - static_cast<std::size_t>(std::abs(s))) / 2;
  std::vector<double> chance(inversions + 1, 0.0);  // of this many inversions
  chance[0] = 1;
  for (std::size_t size = 2; size <= n; ++size) {
    // The newest value adds 0 to size - 1 inversions, each with the same chance.
    std::vector<double> next(chance.size());
    for (std::size_t i = 0; i < chance.size(); ++i) {
      double window = 0;
      for (std::size_t back = 0; back < size && back <= i; ++back) window += chance[i - back];
      next[i] = window / static_cast<double>(size);
    }
    chance = std::move(next);
  }
  double tail = 0;
  for (const double value : chance) tail += value;
  return std::min(1.0, 2 * tail);
}

struct Ties {
  std::int64_t pairs = 0;    // of equal values
  double variance_term = 0;  // sum over groups of t equal values of t (t - 1) (2t + 5)
};

Ties CountTies(std::span<const double> sorted) {
  Ties ties;
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    const auto group = static_cast<std::int64_t>(end - i);
    ties.pairs += group * (group - 1) / 2;
    const auto t = static_cast<double>(group);
    ties.variance_term += t * (t - 1) * (2 * t + 5);
  }
  return ties;
}

}  // namespace

Trend FindTrend(const Sample& sample) {
  if (sample.size() < 3) return {};
  std::vector<double> values(sample.values().begin(), sample.values().end());
  const std::int64_t inversions = SortCountingInversions(values);
  const Ties ties = CountTies(sample.sorted());
  const auto size = static_cast<std::int64_t>(sample.size());
  const std::int64_t pairs = size * (size - 1) / 2;
  if (ties.pairs == pairs) return {};
  Trend trend{.s = pairs - ties.pairs - 2 * inversions};
  const auto s = static_cast<double>(trend.s);
  trend.tau = s / std::sqrt(static_cast<double>(pairs)) /
              std::sqrt(static_cast<double>(pairs - ties.pairs));
  if (ties.pairs == 0 && sample.size() <= kExactTrendRuns) {
    trend.p = ExactTrendP(sample.size(), trend.s);
    return trend;
  }
  const auto n = static_cast<double>(size);
  const double variance = (n * (n - 1) * (2 * n + 5) - ties.variance_term) / 18;
  trend.p = NormalTwoSided(std::max(0.0, std::abs(s) - 1) / std::sqrt(variance));
  return trend;
}

std::optional<Drift> FindDrift(const Sample& sample) {
  if (sample.size() < kRunsForDrift) return std::nullopt;
  const std::size_t third = sample.size() / 3;
  const std::span<const double> values = sample.values();
  const auto first = Sample::Create({values.begin(), values.begin() + std::ptrdiff_t(third)});
  const auto last = Sample::Create({values.end() - std::ptrdiff_t(third), values.end()});
  PROF_CHECK(first && last);  // parts of a sample are fit to be one
  Drift drift{.shift = ShiftOf(*first, *last).estimate,
              .thirds_p = TestMannWhitney(*first, *last).p,
              .trend = FindTrend(sample)};
  if (const double median = sample.Median(); median != 0) {
    drift.relative = drift.shift / std::abs(median);
  }
  drift.p = std::min(1.0, 2 * std::min(drift.thirds_p, drift.trend.p));
  drift.found = drift.p <= kDriftAlpha;
  return drift;
}

}  // namespace prof::analysis::statistics
