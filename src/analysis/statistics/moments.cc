#include "analysis/statistics/moments.h"

namespace prof::analysis::statistics {

Moments MomentsOf(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  // Sums of the distances to the first value: exact for equal values, and no digits are spent on
  // what all values share.
  double sum = 0;
  for (const double value : values) sum += value - values.front();
  double correction = 0;
  double mean = values.front() + sum / n;
  for (const double value : values) correction += value - mean;
  mean += correction / n;
  double squares = 0;
  double rest = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
    rest += value - mean;
  }
  if (values.size() < 2) return {mean, 0};
  return {mean, (squares - rest * rest / n) / (n - 1)};
}

}  // namespace prof::analysis::statistics
