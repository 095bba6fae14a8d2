// By how much one sample's values lie above another's.
#pragma once

#include <optional>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

struct Shift {
  double estimate = 0;
  // None when the samples are too small for one (RunsForComparison in power.h).
  std::optional<Interval> interval;
  double coverage = 0;  // what the interval reaches, at least the confidence asked for
};

// Hodges and Lehmann's shift: the median of all differences b - a, in the unit of the values, with
// the interval that holds just the shifts which the Mann-Whitney test does not refute: from the
// c-th smallest to the c-th largest difference. c is exact for n_a n_b <= kExactPairs (of the
// distribution without ties; ties make the interval cover more), by the normal approximation
// above. Its coverage holds where b is distributed as a moved along. Hollander, Wolfe and Chicken,
// "Nonparametric Statistical Methods" (2014), sections 4.2 and 4.3. Time O(n_a + n_b) beside the
// critical value, no memory for the differences.
[[nodiscard]] Shift ShiftOf(const Sample& a, const Sample& b, double confidence = 0.95);

// The same for the ratio b / a, the shift of the logarithms: a factor, 1 without a difference.
// None unless all values are above 0. Its coverage holds where b is distributed as a multiple of a.
[[nodiscard]] std::optional<Shift> RatioOf(const Sample& a, const Sample& b,
                                           double confidence = 0.95);

}  // namespace prof::analysis::statistics
