// The options of `prof diff` as CLI11 fills them; texts are interpreted afterwards.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "diff_arguments.h"
#include "filter_option.h"

namespace prof::tools {

struct DiffTexts {
  std::vector<std::string> operands;  // files, without --runs
  std::vector<std::string> events, maps;
  FilterTexts filters;
  std::string symbols, sort, by, compute, order, alpha, slower, names = "plain", color = "auto",
                                                                percentage = "absolute";
  std::string runs, warmups, frequency, period, call_graph, record, keep;
  bool show_output = false, ignore_failure = false;
  bool json = false, folded = false, stdio = false;
};

// Adds all options and the help to `app`. With `runs` (--runs is among the words) -F is the
// frequency of prof record and options end at the first word of a command; without it -F is perf's
// --formula and words are files.
void BindDiffOptions(CLI::App& app, bool runs, DiffTexts& texts, DiffArguments& arguments);

}  // namespace prof::tools
