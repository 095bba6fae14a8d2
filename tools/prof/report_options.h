// The options of `prof report`.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "debuginfod_option.h"

#include "prof/analysis/report_table.h"
#include "prof/base/result.h"
#include "prof/report/text_report.h"

namespace prof::tools {

// One end of --time: a share of the recording, or seconds.
struct TimePoint {
  double value = 0;
  bool percent = false;
};
struct TimeRange {
  std::optional<TimePoint> begin;
  std::optional<TimePoint> end;
};

enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

struct ReportOptions {
  std::string input = "prof.data";
  analysis::TableOptions table;  // without the times of `time`
  report::TextOptions text;      // without what depends on the terminal
  TimeRange time;
  std::vector<std::string> filters;  // what the view is restricted to, for people
  bool json = false;
  bool header = false;
  bool header_only = false;
  bool stats = false;
  bool verbose = false;
  DebuginfodOption debuginfod;
  ColorMode color = ColorMode::kAuto;
};

// The options, or the status to exit with: help or an error has been printed.
std::expected<ReportOptions, int> ParseReportOptions(const std::vector<std::string>& args);

// "1.5,3", "1.5,", ",3" (seconds), "10%-20%", "10%/2" (the second tenth).
Result<TimeRange> ParseTimeRange(std::string_view text);

// The range in ns of the recording's clock. Seconds no larger than the recording is long count from
// its beginning, larger ones are times of the clock itself, as perf script prints them.
std::pair<std::uint64_t, std::uint64_t> ResolveTimeRange(const TimeRange& range,
                                                         std::uint64_t begin_ns,
                                                         std::uint64_t end_ns);

// "0-3,7".
Result<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace prof::tools
