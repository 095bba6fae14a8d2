#include "analysis/statistics/student_table.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.h"

namespace prof::analysis::statistics {
namespace {

constexpr double kStepsPerDoubling = 70;
constexpr double kNormalFrom = 1e6;  // no difference is left

}  // namespace

double StudentTable::Quantile(double degrees) {
  const double bounded = std::min(degrees, kNormalFrom);
  const int step = static_cast<int>(std::floor(std::log2(bounded) * kStepsPerDoubling + 1e-9));
  const auto found = known_.find(step);
  if (found != known_.end()) return found->second;
  const double quantile = StudentQuantile(probability_, std::exp2(step / kStepsPerDoubling));
  known_.emplace(step, quantile);
  return quantile;
}

}  // namespace prof::analysis::statistics
