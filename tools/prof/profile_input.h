// Reading profiles, as every command that shows one does.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "debuginfod_option.h"

#include "prof/analysis/profile.h"
#include "prof/base/result.h"
#include "prof/model/record_sink.h"
#include "prof/report/report_data.h"
#include "prof/store/reader.h"
#include "prof/symbols/symbolizer.h"

namespace prof::tools {

// Replays the file at `path` ("-": standard input) into `sink`.
Result<store::ReadSummary> ReplayInput(const std::string& path, model::RecordSink& sink);

report::FileFacts FactsOf(const std::string& path, const store::ReadSummary& summary);

// First and last moment of the recording, in ns of its clock.
std::pair<std::uint64_t, std::uint64_t> SpanOf(const analysis::Profile& profile);

// How a command looks for symbols that the file lacks.
struct SymbolSource {
  std::string command;  // for messages
  DebuginfodOption debuginfod;
  bool inlines = true;
  bool quiet = false;
  // As SymbolizerOptions has them; symfs: the root of its file system.
  std::string vmlinux = {}, kallsyms = {}, symfs = {};
};

// On this machine; the kernel's only while it is the one that was recorded.
Result<symbols::SymbolizerOptions> LocalSymbols(const analysis::Profile& profile,
                                                const SymbolSource& source);

// Resolves what the file lacks.
Status ResolveSymbols(analysis::Profile& profile, const SymbolSource& source);

}  // namespace prof::tools
