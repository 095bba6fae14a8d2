#include "prof/analysis/statistics/outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prof::analysis::statistics {

std::vector<Outlier> FindOutliers(const Sample& sample) {
  if (sample.size() < kRunsForOutliers) return {};
  const double median = sample.Median();
  std::vector<double> distances(sample.values().begin(), sample.values().end());
  for (double& value : distances) value = std::abs(value - median);
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  const double mad = (distances[(n - 1) / 2] + distances[n / 2]) / 2;
  const double mean =
      std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(n);
  // Both estimate the standard deviation of a normal distribution.
  const double scale = mad > 0 ? 1.482602218505602 * mad : 1.2533141373155001 * mean;
  std::vector<Outlier> outliers;
  for (std::size_t run = 0; scale > 0 && run < n; ++run) {
    const double value = sample.values()[run];
    const double score = (value - median) / scale;
    if (std::abs(score) > kOutlierScore) outliers.push_back({run, value, score});
  }
  return outliers;
}

}  // namespace prof::analysis::statistics
