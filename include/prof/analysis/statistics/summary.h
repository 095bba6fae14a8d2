// What one sample says: middle, spread, and how far to believe them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

// The interval between two order statistics, counted from 1: [x(low_rank), x(high_rank)].
struct MedianInterval {
  Interval interval;
  std::size_t low_rank = 0;
  std::size_t high_rank = 0;
  // The chance that such an interval holds the median of a continuous distribution, at least the
  // confidence asked for: 1 - 2 P(X < low_rank), X binomial (n, 1/2).
  double coverage = 0;
};

// The narrowest symmetric interval of order statistics that reaches `confidence` (0 < confidence
// < 1), whatever the distribution; ties make it cover more. None when n is below
// RunsForMedianInterval(confidence). David and Nagaraja, "Order Statistics" (2003), section 7.1.
[[nodiscard]] std::optional<MedianInterval> IntervalOfMedian(const Sample& sample,
                                                             double confidence = 0.95);

// The smallest n with an interval of the median: 1 - 2^(1-n) >= confidence; 6 for 0.95.
[[nodiscard]] std::size_t RunsForMedianInterval(double confidence = 0.95);

// How far a coefficient of variation lets one trust the sample.
enum class Trust : std::uint8_t {
  kTrustworthy,  // below 5 %
  kModerate,     // 5 % to 10 %, both included
  kInvestigate,  // above 10 %
};

struct Summary {
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double median = 0;
  std::optional<MedianInterval> median_interval;  // 95 %; none below 6 values
  double mean = 0;
  // Of the sample (divisor n - 1), in the unit of the values; none for a single value.
  std::optional<double> deviation;
  // mean -+ t(0.975, n - 1) deviation / sqrt(n); none for a single value. It takes the values for
  // normally distributed: of skewed ones it covers less than 95 % (Hall, "Theoretical comparison
  // of bootstrap confidence intervals", Annals of Statistics 16 (1988): by a multiple of 1 / n).
  std::optional<Interval> mean_interval;
  // deviation / |mean|, a share; none for a single value, or a mean of 0 with any spread.
  std::optional<double> variation;
  std::optional<Trust> trust;  // of `variation`
};

[[nodiscard]] Summary Summarize(const Sample& sample);
[[nodiscard]] Trust ClassifyVariation(double variation);

}  // namespace prof::analysis::statistics
