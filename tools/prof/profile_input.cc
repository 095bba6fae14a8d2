// Opens, replays and completes profiles.
#include "profile_input.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "command.h"

#include "prof/base/host_fs.h"

namespace prof::tools {

Result<store::ReadSummary> ReplayInput(const std::string& path, model::RecordSink& sink) {
  auto reader = store::Reader::Open(path);
  if (!reader) {
    Error error = std::move(reader).error();
    if (error.hint.empty()) error.hint = "prof record ./app makes a profile";
    return std::unexpected(std::move(error));
  }
  return (*reader)->Replay(sink);
}

report::FileFacts FactsOf(const std::string& path, const store::ReadSummary& summary) {
  return {.name = path == "-" ? "standard input" : path,
          .bytes = summary.bytes,
          .corrupt_blocks = summary.corrupt_blocks,
          .unknown_blocks = summary.unknown_blocks,
          .cut_bytes = summary.cut_bytes,
          .complete = summary.complete};
}

std::pair<std::uint64_t, std::uint64_t> SpanOf(const analysis::Profile& profile) {
  std::uint64_t begin = profile.sample_times().first_ns;
  std::uint64_t end = profile.sample_times().last_ns;
  if (profile.has_end() && profile.end().sampling_end_ns > 0) {
    begin = std::min(begin, profile.end().sampling_begin_ns);
    end = std::max(end, profile.end().sampling_end_ns);
  }
  if (begin == model::kUnknownTime) begin = 0;
  return {begin, std::max(begin, end)};
}

Result<symbols::SymbolizerOptions> LocalSymbols(const analysis::Profile& profile,
                                                const SymbolSource& source) {
  symbols::SymbolizerOptions options{.cache_dir = SymbolCacheDir()};
  PROF_TRY(ApplyDebuginfod(source.debuginfod, source.command,
                           !source.quiet && isatty(STDERR_FILENO) == 1, options));
  options.inlines = source.inlines;
  options.vmlinux = source.vmlinux;
  options.kallsyms = source.kallsyms;
  options.fs = HostFs(source.symfs);
  const auto boot_id = HostFs().ReadLine("/proc/sys/kernel/random/boot_id");
  options.running_kernel = boot_id.has_value() && *boot_id == profile.info().boot_id;
  return options;
}

Status ResolveSymbols(analysis::Profile& profile, const SymbolSource& source) {
  PROF_TRY_ASSIGN(symbols::SymbolizerOptions options, LocalSymbols(profile, source));
  if (!profile.NeedsSymbols() && !options.debuginfod) return {};
  const bool progress = options.debuginfod && options.debuginfod->progress;
  symbols::Symbolizer symbolizer(std::move(options));
  profile.Symbolize(symbolizer);
  if (progress) std::fputs("\r\033[K", stderr);
  if (!source.quiet) PrintDebuginfodCounts(source.command, symbolizer);
  return {};
}

}  // namespace prof::tools
