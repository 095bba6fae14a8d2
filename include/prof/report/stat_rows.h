// `prof stat` for programs: perf's CSV fields (-x) and JSON keys (-j), with more behind them;
// docs/stat-formats.md has both schemas. Of an interval (StatReport::interval_s) only counts and
// metrics are written.
#pragma once

#include <string>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

// One line per event that was counted or asked for by name, then lines of ours: times as perf's
// tool events ("duration_time", ...) unless -e has counted them, noise and comparisons as
// "prof:...". Text with the separator in it is quoted as RFC 4180 says.
std::string RenderStatCsv(const analysis::counts::StatReport& report, const std::string& separator);

// One JSON object per line, as perf.
std::string RenderStatJson(const analysis::counts::StatReport& report);

// Metrics without their counts (--metric-only), and nothing else. CSV: one line per label, each
// field with a separator behind it as in perf, below a line of titles where `with_header`. JSON:
// one object per label, of titles and numbers as text, as perf writes it from Linux 6.3 on.
std::string RenderMetricCsv(const analysis::counts::StatReport& report,
                            const std::string& separator, bool with_header);
std::string RenderMetricJson(const analysis::counts::StatReport& report);

}  // namespace prof::report
