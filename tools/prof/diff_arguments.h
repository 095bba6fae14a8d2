// The command line of `prof diff`.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "debuginfod_option.h"
#include "diff_sides.h"
#include "standard_output.h"
#include "time_option.h"

#include "prof/analysis/diff/diff_builder.h"
#include "prof/report/diff_text.h"

namespace prof::tools {

// --runs: what to record before anything is compared.
struct DiffRuns {
  std::uint64_t runs = 0;     // of each side
  std::uint64_t warmups = 1;  // of each side, recorded and thrown away
  SidePair commands;
  std::vector<std::string> record;  // options of prof record
  std::string keep;                 // a folder for the recordings; empty: they are removed
  bool show_output = false;
  bool ignore_failure = false;
};

enum class DiffView : std::uint8_t { kText, kPerf, kJson, kFolded, kAnnotate };

struct DiffArguments {
  SidePair files;                // without `runs`
  bool default_files = false;    // nobody named them
  std::optional<DiffRuns> runs;  // --runs
  analysis::diff::DiffOptions diff;
  TimeRange time_before, time_after;
  std::vector<std::string> filters;  // what the view is restricted to, for people
  DiffView view = DiffView::kText;
  bool json = false;             // of kAnnotate as well
  report::DiffTextOptions text;  // without what depends on the terminal
  report::PerfDiffOptions perf;
  std::string symbol;                    // --annotate
  std::optional<double> fail_if_slower;  // percent
  DebuginfodOption debuginfod;
  ColorMode color = ColorMode::kAuto;
  bool pager = true;
  bool verbose = false;
};

// The arguments, or the status to exit with: help or an error has been printed.
std::expected<DiffArguments, int> ParseDiffArguments(const std::vector<std::string>& args);

}  // namespace prof::tools
