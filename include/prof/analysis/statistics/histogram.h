// Where the values of a sample lie, as bars to draw.
#pragma once

#include <cstddef>
#include <vector>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

// Bins of equal width from the smallest to the largest value. Bin i holds edges[i] <= x <
// edges[i + 1], the last one its right edge too; counts add up to the number of values.
struct Histogram {
  std::vector<double> edges;  // one more than bins, ascending, in the unit of the values
  std::vector<std::size_t> counts;
};

// As many bins as Freedman and Diaconis's width 2 IQR / cbrt(n) gives ("On the histogram as a
// density estimator", Z. Wahrscheinlichkeitstheorie 57 (1981)), at least those of Sturges, log2(n)
// + 1, and at most `most_bins` (0 counts as 1). One bin when all values are equal (both edges are
// the value) or too near to each other for more edges.
[[nodiscard]] Histogram HistogramOf(const Sample& sample, std::size_t most_bins = 12);

}  // namespace prof::analysis::statistics
