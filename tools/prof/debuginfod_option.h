// --debuginfod and --debuginfod-timeout, as record and report have them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "prof/symbols/symbolizer.h"

namespace prof::tools {

struct DebuginfodOption {
  bool wanted = false;
  double timeout_s = 30;
};

// Modules with less than this share of the samples (of their own, without callees) are not worth
// it.
inline constexpr double kLeastDownloadShare = 0.01;

void BindDebuginfod(CLI::App& app, const std::string& group, DebuginfodOption& option);

// Sets options.debuginfod, with progress on stderr when `show_progress`, or says why servers cannot
// be asked. Nothing happens when the option was not given.
Status ApplyDebuginfod(const DebuginfodOption& option, const std::string& command,
                       bool show_progress, symbols::SymbolizerOptions& options);

// What came of it, in one line on stderr; nothing when no server was asked.
void PrintDebuginfodCounts(const std::string& command, const symbols::Symbolizer& symbolizer);

}  // namespace prof::tools
