// The readings of one quantity over repeated runs, checked once so that no statistic can fail.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prof/base/result.h"

namespace prof::analysis::statistics {

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] double Width() const { return high - low; }
  [[nodiscard]] bool Contains(double value) const { return low <= value && value <= high; }
  bool operator==(const Interval&) const = default;
};

// At least one value, all finite, none beyond kLargestValue. Values keep their order, so an index
// is the run's (from 0). Immutable; safe to read from several threads.
class Sample {
 public:
  // Squares and sums of squares of values up to here stay finite.
  static constexpr double kLargestValue = 1e150;

  // kBadData: no value at all, or the first run (counted from 1) whose value is NaN, infinite or
  // beyond kLargestValue in magnitude.
  [[nodiscard]] static Result<Sample> Create(std::vector<double> values);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::span<const double> values() const { return values_; }  // in order of runs
  [[nodiscard]] std::span<const double> sorted() const { return sorted_; }  // ascending
  [[nodiscard]] double min() const { return sorted_.front(); }
  [[nodiscard]] double max() const { return sorted_.back(); }
  // The middle value, or the mean of the two middle ones.
  [[nodiscard]] double Median() const;
  // The quantile of `probability` in [0, 1] by linear interpolation between order statistics:
  // type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American
  // Statistician 50 (1996); what R and numpy compute by default.
  [[nodiscard]] double Quantile(double probability) const;

 private:
  explicit Sample(std::vector<double> values);

  std::vector<double> values_;
  std::vector<double> sorted_;
};

}  // namespace prof::analysis::statistics
