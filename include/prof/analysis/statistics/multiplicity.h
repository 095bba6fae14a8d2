// p-values of many tests at once.
#pragma once

#include <span>
#include <vector>

namespace prof::analysis::statistics {

// Both give adjusted p-values in the order of `p`: refuting where the adjusted value is at most
// alpha keeps the promise. A p that is NaN or outside [0, 1] counts as 1. No p gives no values.

// The chance of any false alarm stays below alpha, however the tests hang together. Holm, "A simple
// sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6 (1979).
[[nodiscard]] std::vector<double> AdjustHolm(std::span<const double> p);

// The expected share of false alarms among the alarms stays below alpha, for independent or
// positively dependent tests. Benjamini and Hochberg, "Controlling the false discovery rate",
// J. of the Royal Statistical Society B 57 (1995).
[[nodiscard]] std::vector<double> AdjustBenjaminiHochberg(std::span<const double> p);

}  // namespace prof::analysis::statistics
