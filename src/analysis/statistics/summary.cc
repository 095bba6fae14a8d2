#include "prof/analysis/statistics/summary.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"
#include "analysis/statistics/order_statistics.h"

namespace prof::analysis::statistics {

std::size_t RunsForMedianInterval(double confidence) {
  std::size_t n = 2;
  double outside = 0.5;  // 2^(1-n)
  for (; outside > 1 - confidence && outside > 0; ++n) outside /= 2;
  return n;
}

std::optional<MedianInterval> IntervalOfSorted(std::span<const double> sorted, double confidence) {
  const std::size_t n = sorted.size();
  const double tail = (1 - confidence) / 2;
  // The largest rank r with P(X < r) <= tail, searched from where the normal distribution puts it.
  const auto size = static_cast<double>(n);
  const double guess = size / 2 + NormalQuantile(tail) * std::sqrt(size) / 2;
  auto rank = static_cast<std::size_t>(std::max(0.0, guess));
  while (FairBinomialCdf(n, rank) <= tail) ++rank;
  while (rank > 0 && FairBinomialCdf(n, rank - 1) > tail) --rank;
  if (rank == 0) return std::nullopt;
  return MedianInterval{.interval = {sorted[rank - 1], sorted[n - rank]},
                        .low_rank = rank,
                        .high_rank = n + 1 - rank,
                        .coverage = 1 - 2 * FairBinomialCdf(n, rank - 1)};
}

std::optional<MedianInterval> IntervalOfMedian(const Sample& sample, double confidence) {
  return IntervalOfSorted(sample.sorted(), confidence);
}

Trust ClassifyVariation(double variation) {
  if (variation < 0.05) return Trust::kTrustworthy;
  return variation <= 0.10 ? Trust::kModerate : Trust::kInvestigate;
}

Summary Summarize(const Sample& sample) {
  const auto [mean, variance] = MomentsOf(sample.values());
  Summary summary{.n = sample.size(),
                  .min = sample.min(),
                  .max = sample.max(),
                  .median = sample.Median(),
                  .median_interval = IntervalOfMedian(sample),
                  .mean = mean};
  if (sample.size() < 2) return summary;
  const double deviation = std::sqrt(variance);
  const auto n = static_cast<double>(sample.size());
  const double half = StudentQuantile(0.975, n - 1) * deviation / std::sqrt(n);
  summary.deviation = deviation;
  summary.mean_interval = Interval{mean - half, mean + half};
  if (mean != 0 || deviation == 0) {
    summary.variation = deviation == 0 ? 0 : deviation / std::abs(mean);
    summary.trust = ClassifyVariation(*summary.variation);
  }
  return summary;
}

}  // namespace prof::analysis::statistics
