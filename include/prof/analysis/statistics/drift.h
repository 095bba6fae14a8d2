// Whether the machine or the program changed while the runs went on.
#pragma once

#include <cstdint>
#include <optional>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

// Kendall's rank correlation of the values with the order of the runs (Mann, "Nonparametric tests
// against trend", Econometrica 13 (1945); Kendall, "Rank Correlation Methods" (1975)).
struct Trend {
  std::int64_t s = 0;  // pairs of runs with a later larger value, less those with a smaller
  double tau = 0;      // tau-b: s / sqrt(all pairs x pairs not tied), -1 to 1
  // Two-sided. Exact without ties up to kExactTrendRuns values, above and with ties normal with
  // the variance corrected for ties and continuity correction 1.
  double p = 1;
};
inline constexpr std::size_t kExactTrendRuns = 50;
// All values equal, or fewer than 3: s = 0, p = 1. Time O(n log n).
[[nodiscard]] Trend FindTrend(const Sample& sample);

struct Drift {
  // The last n/3 runs against the first n/3: Hodges and Lehmann's shift in the unit of the values
  // and the p of the Mann-Whitney test.
  double shift = 0;
  std::optional<double> relative;  // shift / |median|; none for a median of 0
  double thirds_p = 1;
  Trend trend;
  // p of both tests together, by Bonferroni: twice the smaller, at most 1.
  double p = 1;
  // p <= kDriftAlpha. Strict, for one asks it of every event of every session.
  bool found = false;
};
inline constexpr std::size_t kRunsForDrift = 9;
inline constexpr double kDriftAlpha = 0.01;
// None below kRunsForDrift values. (3 against 3 cannot reach kDriftAlpha, the trend can.)
[[nodiscard]] std::optional<Drift> FindDrift(const Sample& sample);

}  // namespace prof::analysis::statistics
