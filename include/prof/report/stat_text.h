// `prof stat` as text for people, in perf's layout with more behind it; docs/stat.md shows it.
#pragma once

#include <string>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

struct StatTextStyle {
  bool color = false;
  bool histogram = false;   // on a terminal
  bool big_numbers = true;  // -B: 1,234,567
  bool table = false;       // --table: every run
  bool metric_only = false;
  int width = 80;
};

// Begins and ends with an empty line, as perf's.
std::string RenderStatText(const analysis::counts::StatReport& report, const StatTextStyle& style);

// One interval; every line begins with its time, but those of the header with '#'. No empty lines.
// The header line, and what is not counted here, come first where `with_header` (every 25
// intervals).
std::string RenderIntervalText(const analysis::counts::StatReport& report,
                               const StatTextStyle& style, bool with_header);

}  // namespace prof::report
