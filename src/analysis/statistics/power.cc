#include "prof/analysis/statistics/power.h"

#include <algorithm>

#include "analysis/statistics/distributions.h"

namespace prof::analysis::statistics {

double SmallestReachableP(std::size_t n_a, std::size_t n_b) {
  return std::min(1.0, 2 / Combinations(n_a + n_b, n_a));
}

std::size_t RunsForComparison(double alpha) {
  std::size_t n = 1;
  while (SmallestReachableP(n, n) > alpha) ++n;
  return n;
}

double SmallestDetectable(const Interval& interval, double confidence, double power) {
  const double z = NormalQuantile((1 + confidence) / 2);
  return interval.Width() / 2 * (z + NormalQuantile(power)) / z;
}

}  // namespace prof::analysis::statistics
