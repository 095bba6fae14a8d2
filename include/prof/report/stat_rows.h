// `prof stat` for programs: perf's CSV fields (-x) and JSON keys (-j), with more behind them;
// docs/stat.md has both schemas.
#pragma once

#include <string>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

// One line per counted event, then lines of ours (times, noise, comparisons) whose event names no
// event has: "prof:elapsed", ... Text with the separator in it is quoted as RFC 4180 says.
std::string RenderStatCsv(const analysis::counts::StatReport& report, const std::string& separator);

// One JSON object per line, as perf.
std::string RenderStatJson(const analysis::counts::StatReport& report);

}  // namespace prof::report
