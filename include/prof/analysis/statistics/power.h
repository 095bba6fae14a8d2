// What so many runs can show at all.
#pragma once

#include <cstddef>
#include <optional>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

// The smallest two-sided p that the exact Mann-Whitney test can give without ties: every b above
// every a, 2 / C(n_a + n_b, n_a), at most 1. 3 against 3: 0.1. (So can the exact permutation test.)
[[nodiscard]] double SmallestReachableP(std::size_t n_a, std::size_t n_b);

// The smallest n for which n against n runs can reach p <= alpha: 4 for 0.05. With k comparisons
// under Holm's correction ask for alpha / k. 0 < alpha <= 1.
[[nodiscard]] std::size_t RunsForComparison(double alpha = 0.05);

// The smallest difference that a test at 1 - `confidence` would have found with probability
// `power`, from half the width w/2 of the interval at hand: (w/2) (z(1-alpha/2) + z(power)) /
// z(1-alpha/2), in the unit of `interval`; 1.43 half widths for 95 % and 80 %. From the normal
// approximation that half the width is z(1-alpha/2) standard errors; Cohen, "Statistical Power
// Analysis for the Behavioral Sciences" (1988), chapter 2. Unlike a power computed from the effect
// seen it says something about the experiment.
[[nodiscard]] double SmallestDetectable(const Interval& interval, double confidence = 0.95,
                                        double power = 0.80);

}  // namespace prof::analysis::statistics
