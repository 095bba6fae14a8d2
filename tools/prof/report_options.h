// The options of `prof report`.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "debuginfod_option.h"
#include "filter_option.h"
#include "standard_output.h"
#include "time_option.h"

#include "prof/analysis/report_table.h"
#include "prof/base/result.h"
#include "prof/report/text_report.h"

namespace prof::tools {

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

}  // namespace prof::tools
