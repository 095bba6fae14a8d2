// When a coefficient of variation says nothing.
#pragma once

#include "prof/analysis/counts/quantity.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::counts {

// Takes the trust word from numbers so small that chance or the kernel's clock ticks alone make
// them vary: counts below 10 on average (by chance 1 / sqrt(mean) of it, Poisson), user and system
// time below 40 ms.
void LeaveSmallUnjudged(const Quantity& quantity, statistics::Summary& summary);

}  // namespace prof::analysis::counts
