// A against B as text: the verdict, how far it goes, and the numbers of every quantity.
#pragma once

#include <string>

#include "prof/report/stat_text.h"

namespace prof::report {

// "'./new'", or "side 3" where the text is empty or there is no such side.
std::string SideName(const analysis::counts::StatReport& report, std::uint32_t side);

// The verdicts of all comparisons first, then their tables.
std::string ComparisonsText(const analysis::counts::StatReport& report, const StatTextStyle& style);

}  // namespace prof::report
