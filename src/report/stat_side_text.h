// The numbers of one side's runs as text: counts, metrics, times.
#pragma once

#include <string>

#include "prof/report/stat_text.h"

namespace prof::report {

// " Performance counter stats for './x' (10 runs):" and an empty line.
std::string SideTitle(const std::string& target, std::size_t runs);

// Events one row each (repeated: two), times and memory. `events`: else only the quantities.
std::string SideNumbers(const analysis::counts::StatReport& report,
                        const analysis::counts::StatSide& side, bool events,
                        const StatTextStyle& style);

}  // namespace prof::report
