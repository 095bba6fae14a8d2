// The options of `prof annotate`.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "debuginfod_option.h"
#include "standard_output.h"
#include "time_option.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"
#include "prof/symbols/source_files.h"

namespace prof::tools {

struct AnnotateArguments {
  std::vector<std::string> inputs = {"prof.data"};  // two: compared, before and after
  std::string query;                                // of analysis::ChooseFunctions()
  bool all = false;                                 // each match, not only the hottest
  analysis::AnnotateScope scope;                    // without the times of `time`
  TimeRange time;
  std::vector<std::string> filters;  // what the view is restricted to, for people
  disasm::DisassemblerOptions disassembly;
  symbols::SourceOptions source;
  std::string vmlinux, kallsyms, symfs;
  DebuginfodOption debuginfod;
  report::AnnotateTextOptions text;  // without what depends on the terminal
  ColorMode color = ColorMode::kAuto;
  bool read_sources = true;  // false: --no-source
  bool skip_missing = false;
  bool json = false;
  bool pager = true;
  bool verbose = false;
};

// The arguments, or the status to exit with: help or an error has been printed.
std::expected<AnnotateArguments, int> ParseAnnotateOptions(const std::vector<std::string>& args);

}  // namespace prof::tools
