// prof record: opens, samples, symbolizes, closes, waits.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "command.h"
#include "output_file.h"
#include "record_arguments.h"
#include "self_shares.h"

#include "prof/collect/record_session.h"
#include "prof/store/writer.h"
#include "prof/symbols/symbolizer.h"

namespace prof::tools {
namespace {

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::fprintf(stderr, "prof record: %s\n", note.c_str());
}

symbols::ModuleFiles FilesOf(const collect::HitModule& hit) {
  return {.image = hit.file,
          .root = hit.root.get(),
          .perf_map_path = hit.perf_map_path,
          .perf_map_fd = hit.perf_map == nullptr ? -1 : hit.perf_map->get(),
          .jit_dump_fds = hit.jit_dumps,
          .user = hit.user,
          .process_start_s = hit.process_start_s};
}

// Symbols of the addresses that were hit, into the file, so that it can be read anywhere and after
// any rebuild.
Status WriteSymbols(const collect::RecordSession& session, store::Writer& writer,
                    const SelfShares& shares, const RecordArguments& arguments) {
  const bool show_progress = !arguments.quiet && ::isatty(STDERR_FILENO) == 1;
  symbols::SymbolizerOptions options{.cache_dir = SymbolCacheDir()};
  PROF_TRY(ApplyDebuginfod(arguments.debuginfod, "record", show_progress, options));
  symbols::Symbolizer symbolizer(std::move(options));
  const auto modules = session.HitModules();
  std::size_t done = 0;
  for (const collect::HitModule& hit : modules) {
    if (show_progress)
      std::fprintf(stderr, "\r\033[Kprof record: symbols %zu of %zu", ++done, modules.size());
    symbols::ModuleFiles files = FilesOf(hit);
    files.ask_server = shares.Of(hit.module) >= kLeastDownloadShare;
    PROF_TRY(writer.Append(symbolizer.Resolve(hit.module, hit.addresses, files)));
  }
  if (show_progress) std::fputs("\r\033[K", stderr);
  if (!arguments.quiet) PrintDebuginfodCounts("record", symbolizer);
  return {};
}

void PrintSummary(const collect::RecordSummary& summary, const OutputFile& output,
                  std::uint64_t bytes, bool stacks_verified) {
  std::string stacks;
  if (summary.walked != 0 && stacks_verified) {
    const auto share = [&](std::uint64_t part) {
      return 100.0 * static_cast<double>(part) / static_cast<double>(summary.walked);
    };
    char text[96];
    std::snprintf(text, sizeof text, "%.1f %% complete stacks", share(summary.complete));
    stacks = text;
    if (summary.joined != 0) {
      std::snprintf(text, sizeof text, " (%.1f %% joined)", share(summary.joined));
      stacks += text;
    }
    stacks += ", ";
  }
  std::fprintf(
      stderr, "[ prof record: wrote %.2f MB %s (%llu samples), %s%llu lost, %s%.1f s ]\n",
      static_cast<double>(bytes) / 1e6, output.is_stdout() ? "stdout" : output.name().c_str(),
      static_cast<unsigned long long>(summary.samples), summary.lost_at_least ? "at least " : "",
      static_cast<unsigned long long>(summary.lost), stacks.c_str(), summary.seconds);
  if (summary.stacks_lost_to_size) {
    std::fputs(
        "prof record: many stacks are longer than the copied bytes\nhint: --call-graph "
        "dwarf,32768, or --call-graph fp\n",
        stderr);
  }
}

// What prof gave up because it could not keep up, and the option that would avoid it.
void PrintPressure(const collect::RecordSummary& summary) {
  const auto print = [](std::uint64_t count, const char* what, const char* hint) {
    if (count == 0) return;
    std::fprintf(stderr, "prof record: prof could not keep up: %llu %s\nhint: %s\n",
                 static_cast<unsigned long long>(count), what, hint);
  };
  print(summary.cut, "stacks cut to 8 KB", "a larger -m, a lower -F, or --call-graph fp");
  print(summary.shed, "stacks given up",
        "a lower -F, a smaller --call-graph dwarf,SIZE, or --call-graph fp");
  print(summary.dropped, "samples dropped, the output was too slow",
        "a faster disk or reader (-o), or a lower -F");
}

int ExitStatusOfStartFailure(const Error& error) {
  const int status = PrintError("record", error);
  if (error.kind == ErrorKind::kNotFound) return kExitNotFound;
  return error.kind == ErrorKind::kPermission ? kExitNotExecutable : status;
}

// A write error in mid-recording is not the end of what was written before it.
int PrintWriteError(Error error, const OutputFile& output) {
  if (error.kind == ErrorKind::kSystem) {
    error.hint = output.is_stdout() ? "the reader of the pipe ended before the recording did"
                                    : "prof report -i " + output.name() +
                                          " shows what was written; -o FILE records elsewhere";
  }
  return PrintError("record", error);
}

Status WriteTail(collect::RecordSession& session, store::Writer& writer, const SelfShares& shares,
                 const RecordArguments& arguments) {
  if (arguments.symbols) PROF_TRY(WriteSymbols(session, writer, shares, arguments));
  PROF_TRY(session.Close());
  return writer.Finish();
}

}  // namespace

int RecordMain(const std::vector<std::string>& args) {
  const HostFs fs;
  RecordParse parse = ParseRecordArguments(args, fs);
  if (!parse.arguments) return parse.exit_status;
  const RecordArguments& arguments = *parse.arguments;
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error like any other

  if (arguments.debuginfod.wanted) {
    if (const Status status = symbols::CheckDebuginfod(); !status)
      return PrintError("record", status.error());
  }
  auto output = OutputFile::Open(arguments.output);
  if (!output) return PrintError("record", output.error());
  auto writer = store::Writer::Create(output->TakeFd(),
                                      output->is_stdout() ? "standard output" : arguments.output,
                                      {.compression_level = arguments.compression_level});
  if (!writer) return PrintError("record", writer.error());
  SelfShares shares(**writer);
  model::RecordSink& sink =
      arguments.debuginfod.wanted ? static_cast<model::RecordSink&>(shares) : **writer;
  auto session = collect::RecordSession::Open(arguments.options, fs, sink);
  if (!session) return PrintError("record", session.error());
  if (const Status status = (*session)->Start(); !status)
    return ExitStatusOfStartFailure(status.error());
  // Not before: an error stands alone.
  if (!arguments.quiet) PrintNotes((*session)->notes());
  if (arguments.verbose) PrintNotes((*session)->Details());
  if (const Status status = output->Publish(); !status) return PrintError("record", status.error());

  const collect::StopReason reason = (*session)->Run();
  const bool sink_failed = reason == collect::StopReason::kSinkFailed;
  const Status tail = sink_failed ? std::unexpected((*session)->sink_error())
                                  : WriteTail(**session, **writer, shares, arguments);
  if (!tail) PrintWriteError(tail.error(), *output);
  if (tail && !arguments.quiet) {
    PrintSummary((*session)->summary(), *output, (*writer)->bytes_written(),
                 arguments.options.call_graph != model::CallGraphMode::kFramePointers);
    PrintPressure((*session)->summary());
  }
  const int status = (*session)->WaitForCommand(reason);
  return tail ? status : kExitFailure;
}

}  // namespace prof::tools
