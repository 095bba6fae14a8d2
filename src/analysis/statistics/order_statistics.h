// The interval of the median of values that are sorted already.
#pragma once

#include <optional>
#include <span>

#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::statistics {

// As IntervalOfMedian; `sorted` ascending and not empty.
[[nodiscard]] std::optional<MedianInterval> IntervalOfSorted(std::span<const double> sorted,
                                                             double confidence);

}  // namespace prof::analysis::statistics
