// The options that choose samples, as report, annotate and diff have them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "time_option.h"

#include "prof/analysis/report_table.h"
#include "prof/base/result.h"

namespace prof::tools {

// What CLI11 binds to.
struct FilterTexts {
  std::string comms, dsos, pids, tids, cpus, time;
};

// -d, --pid, --tid, --time, and `comm_flags` ("-c,--comms") and `cpu_flags` ("-C,--cpu"), whose
// letters differ between commands as they do in perf.
void BindFilters(CLI::App& app, const std::string& comm_flags, const std::string& cpu_flags,
                 FilterTexts& texts);

// Into `filter` (but for its times) and `time`; what the view is restricted to, one "comm: main"
// each, is added to `shown`.
Status ApplyFilters(const FilterTexts& texts, analysis::SampleFilter& filter, TimeRange& time,
                    std::vector<std::string>& shown);

// "a,b" to its words; empty ones are left out.
std::vector<std::string> SplitList(std::string_view text);

// "0-3,7".
Result<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace prof::tools
