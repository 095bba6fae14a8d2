// Side 0 against the others, with what it comes to in words.
#pragma once

#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {

// One for each side but the first, in their order.
std::vector<SideComparison> CompareSides(const RunSet& runs, const StatReportOptions& options);

}  // namespace prof::analysis::counts
