#include "prof/analysis/statistics/sample.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace prof::analysis::statistics {

Result<Sample> Sample::Create(std::vector<double> values) {
  if (values.empty()) return Fail(ErrorKind::kBadData, "no values to compute statistics of");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string run = "run " + std::to_string(i + 1);
    if (!std::isfinite(values[i])) {
      return Fail(ErrorKind::kBadData, "the value of " + run + " is not a finite number");
    }
    if (std::abs(values[i]) > kLargestValue) {
      return Fail(ErrorKind::kBadData, "the value of " + run + " is too large (above 1e150)");
    }
  }
  return Sample(std::move(values));
}

Sample::Sample(std::vector<double> values) : values_(std::move(values)), sorted_(values_) {
  std::sort(sorted_.begin(), sorted_.end());
}

double Sample::Median() const { return Quantile(0.5); }

double Sample::Quantile(double probability) const {
  const double position =
      std::clamp(probability, 0.0, 1.0) * static_cast<double>(sorted_.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted_.size() - 1);
  return std::lerp(sorted_[below], sorted_[above], position - static_cast<double>(below));
}

}  // namespace prof::analysis::statistics
