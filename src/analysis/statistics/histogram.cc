#include "prof/analysis/statistics/histogram.h"

#include <algorithm>
#include <cmath>

namespace prof::analysis::statistics {
namespace {

std::size_t CountBins(const Sample& sample, std::size_t most_bins) {
  const double range = sample.max() - sample.min();
  const auto n = static_cast<double>(sample.size());
  const double width = 2 * (sample.Quantile(0.75) - sample.Quantile(0.25)) / std::cbrt(n);
  const double sturges = std::ceil(std::log2(n)) + 1;
  const double wanted = width > 0 ? std::max(sturges, std::ceil(range / width)) : sturges;
  return static_cast<std::size_t>(
      std::clamp(wanted, 1.0, static_cast<double>(std::max<std::size_t>(most_bins, 1))));
}

}  // namespace

Histogram HistogramOf(const Sample& sample, std::size_t most_bins) {
  const Histogram single{.edges = {sample.min(), sample.max()}, .counts = {sample.size()}};
  if (sample.min() == sample.max()) return single;
  const std::size_t bins = CountBins(sample, most_bins);
  Histogram histogram;
  for (std::size_t i = 0; i <= bins; ++i) {
    histogram.edges.push_back(
        std::lerp(sample.min(), sample.max(), static_cast<double>(i) / static_cast<double>(bins)));
    if (i > 0 && histogram.edges[i] <= histogram.edges[i - 1]) return single;
  }
  histogram.counts.assign(bins, 0);
  std::size_t bin = 0;
  for (const double value : sample.sorted()) {
    while (bin + 1 < bins && value >= histogram.edges[bin + 1]) ++bin;
    ++histogram.counts[bin];
  }
  return histogram;
}

}  // namespace prof::analysis::statistics
