// Binds and applies the debuginfod options.
#include "debuginfod_option.h"

#include <cstdio>

namespace prof::tools {

void BindDebuginfod(CLI::App& app, const std::string& group, DebuginfodOption& option) {
  app.add_flag("--debuginfod", option.wanted,
               "fetch missing debug files of modules above 1 %\n"
               "from the servers in DEBUGINFOD_URLS")
      ->group(group)
      ->option_text("");
  app.add_option("--debuginfod-timeout", option.timeout_s,
                 "seconds for all of them together (default 30)")
      ->check(CLI::Range(0.1, 86'400.0))
      ->group(group)
      ->option_text("SECONDS");
}

Status ApplyDebuginfod(const DebuginfodOption& option, const std::string& command,
                       bool show_progress, symbols::SymbolizerOptions& options) {
  if (!option.wanted) return {};
  PROF_TRY(symbols::CheckDebuginfod());
  options.debuginfod.emplace();
  options.debuginfod->deadline_s = option.timeout_s;
  if (show_progress) {
    options.debuginfod->progress = [command](const std::string& module, long done, long total) {
      std::fprintf(stderr, "\r\033[Kprof %s: debuginfod: %s, %.1f", command.c_str(), module.c_str(),
                   static_cast<double>(done) / 1e6);
      if (total > 0) std::fprintf(stderr, " of %.1f", static_cast<double>(total) / 1e6);
      std::fputs(" MB", stderr);
    };
  }
  return {};
}

void PrintDebuginfodCounts(const std::string& command, const symbols::Symbolizer& symbolizer) {
  const symbols::DebuginfodCounts counts = symbolizer.debuginfod_counts();
  if (counts.found + counts.missing + counts.failed == 0) return;
  std::fprintf(stderr, "prof %s: debuginfod: %llu found, %llu not on the servers, %llu failed\n",
               command.c_str(), static_cast<unsigned long long>(counts.found),
               static_cast<unsigned long long>(counts.missing),
               static_cast<unsigned long long>(counts.failed));
}

}  // namespace prof::tools
