// Mean and variance without the loss of digits of the one-pass formula.
#pragma once

#include <span>

namespace prof::analysis::statistics {

struct Moments {
  double mean = 0;
  double variance = 0;  // divisor n - 1; 0 for a single value
};

// Two passes with compensation: Chan, Golub and LeVeque, "Algorithms for computing the sample
// variance", The American Statistician 37 (1983). `values` is not empty and finite.
[[nodiscard]] Moments MomentsOf(std::span<const double> values);

}  // namespace prof::analysis::statistics
