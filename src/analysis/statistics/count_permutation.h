// The exact permutation test of many items at once.
#pragma once

#include <span>
#include <vector>

#include "prof/analysis/statistics/count_changes.h"

namespace prof::analysis::statistics {

// Of each item the share of the ways to deal all runs out to the two sides in which the means lie
// at least as far apart as they do: two-sided, both tails counted. All items have as many runs on
// either side as the first one; there are at most kExactPermutations ways. Ways are walked through
// once for a group of items, one run changing places with another from each to the next: Nijenhuis
// and Wilf's revolving door, algorithm R of Knuth, "The Art of Computer Programming" 4A (2011),
// section 7.2.1.3.
[[nodiscard]] std::vector<double> PermutationPs(std::span<const ItemAmounts> items);

}  // namespace prof::analysis::statistics
