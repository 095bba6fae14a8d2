// How far items vary together.
#pragma once

#include <span>

#include "analysis/statistics/count_table.h"

namespace prof::analysis::statistics {

// Of how many items that vary independently of each other these tell as much, as to how large their
// variances are: 1 if all of them follow one cause, at most how many there are. An item counts by
// its weight, from 0 to 1. From the squared correlations of the items' residuals over the units:
// the variance of a mean of sample variances is 2 / degrees times the mean of those squares.
// With one degree of freedom every correlation is 1, and so is the answer.
[[nodiscard]] double IndependentItems(std::span<const ItemAmounts> items,
                                      std::span<const double> weights, const CountDesign& design);

}  // namespace prof::analysis::statistics
