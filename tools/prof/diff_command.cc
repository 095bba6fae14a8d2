// prof diff: records if asked to, reads both sides, says what changed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "annotate_command.h"
#include "command.h"
#include "diff_arguments.h"
#include "diff_counts.h"
#include "diff_load.h"
#include "diff_recorder.h"
#include "diff_runs.h"
#include "pager.h"
#include "record_arguments.h"
#include "standard_output.h"
#include "stat_sides.h"

#include "prof/base/clock.h"
#include "prof/report/diff_formats.h"
#include "prof/report/diff_text.h"

namespace prof::tools {
namespace {

using analysis::counts::StatReport;
using analysis::diff::ProfileDiff;

constexpr int kExitSlower = 1;
constexpr int kSignalled = 128;

// Everything that can be found wrong before something runs. Options of prof record are judged by
// itself, which prints what is wrong.
std::optional<int> CheckRuns(const DiffRuns& runs) {
  const char* path = std::getenv("PATH");
  const std::vector<model::SideDef> sides{{.id = 0, .command = runs.commands.before, .text = {}},
                                          {.id = 0, .command = runs.commands.after, .text = {}}};
  if (Status found = CheckExecutables(sides, path == nullptr ? "/bin:/usr/bin" : path); !found) {
    Error error = found.error();
    error.hint = "nothing was recorded; " + (error.kind == ErrorKind::kNotFound
                                                 ? std::string("check the name and PATH")
                                                 : std::string("see who may execute it"));
    PrintError("diff", error);
    return error.kind == ErrorKind::kNotFound ? kExitNotFound : kExitNotExecutable;
  }
  const Error not_yours{ErrorKind::kUsage,
                        "--record: the target and the output are prof diff's to choose",
                        "--record '--all-user -m 8M'"};
  const bool names_output = std::ranges::any_of(runs.record, [](const std::string& word) {
    return word.starts_with("-o") || word.starts_with("--output");
  });
  if (names_output) return PrintError("diff", not_yours);
  const RecordParse parse =
      ParseRecordArguments(RecordWords(runs, runs.commands.before, "prof.data"), HostFs());
  if (!parse.arguments) return parse.exit_status;
  const collect::RecordTarget& target = parse.arguments->options.target;
  if (target.kind == model::TargetKind::kCommand && target.command == runs.commands.before)
    return std::nullopt;
  return PrintError("diff", not_yours);
}

// One line on a terminal.
class Progress {
 public:
  Progress(const DiffArguments& arguments)
      : arguments_(arguments), line_(!arguments.text.quiet && ::isatty(STDERR_FILENO) == 1) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(const PlannedRun& run, std::optional<double> left_s) {
    const DiffRuns& runs = *arguments_.runs;
    if (!line_ && !arguments_.verbose) return;
    std::string text = run.warmup ? "warm-up run " : "run ";
    text += std::to_string(run.round + 1) + " of " +
            std::to_string(run.warmup ? runs.warmups : runs.runs) + ", " +
            (run.side == 0 ? "after" : "before");
    if (left_s) text += ", about " + DurationText(*left_s) + " left";
    const char* format = line_ ? "\r\033[Kprof diff: %s\r" : "prof diff: %s\n";
    std::fprintf(stderr, format, text.c_str());
  }

 private:
  void Clear() const {
    if (line_) std::fputs("\r\033[K", stderr);
  }

  const DiffArguments& arguments_;
  bool line_;
};

struct Compared {
  std::optional<Comparison> comparison;
  int status = 0;  // to exit with, unless the gate says something else
};

Result<std::string> FolderFor(const DiffRuns& runs, const TemporaryFolder& scratch) {
  if (runs.keep.empty()) return scratch.path();
  std::error_code error;
  std::filesystem::create_directories(runs.keep, error);
  if (error) {
    return Fail(ErrorKind::kSystem, "cannot make the folder " + runs.keep + ": " + error.message(),
                "--keep DIR");
  }
  // Files of two experiments side by side would be taken for one by before.*.
  for (const auto& entry : std::filesystem::directory_iterator(runs.keep, error)) {
    const std::string name = entry.path().filename();
    const bool recording = name.starts_with("before.") || name.starts_with("after.");
    if (recording && name.ends_with(".data")) {
      return Fail(ErrorKind::kUsage, runs.keep + " has recordings already (" + name + ")",
                  "--keep another folder, or remove them");
    }
  }
  return runs.keep;
}

RecordedRuns Record(const DiffArguments& arguments, const std::string& folder,
                    ChildRecorder& recorder) {
  Progress progress(arguments);
  return RecordRuns(
      *arguments.runs, folder, recorder,
      [&](const PlannedRun& run, std::optional<double> left_s) { progress.Show(run, left_s); },
      [] { return static_cast<double>(MonotonicNs()) / 1e9; });
}

// The recordings are gone when this returns, unless they are kept.
Result<Compared> RecordAndCompare(const DiffArguments& arguments) {
  PROF_TRY_ASSIGN(TemporaryFolder scratch, TemporaryFolder::Create());
  PROF_TRY_ASSIGN(const std::string folder, FolderFor(*arguments.runs, scratch));
  ChildRecorder recorder(scratch.path(), arguments.runs->show_output);
  RecordedRuns recorded = Record(arguments, folder, recorder);
  std::fputs(recorded.failed_output.c_str(), stderr);
  Compared compared;
  if (recorded.signal) compared.status = kSignalled + *recorded.signal;
  if (recorded.error) {
    PrintError("diff", *recorded.error);
    if (compared.status == 0) compared.status = kExitFailure;
    return compared;
  }
  for (const std::string& note : recorded.notes)
    std::fprintf(stderr, "prof diff: %s\n", note.c_str());
  PROF_TRY_ASSIGN(compared.comparison, CompareFiles(recorded.files, arguments));
  return compared;
}

std::string Render(const ProfileDiff& diff, const DiffArguments& arguments) {
  report::DiffTextOptions text = arguments.text;
  text.color = WantsColor(arguments.color);
  if (WritesToTerminal()) text.width = TerminalWidth();
  switch (arguments.view) {
    case DiffView::kJson:
      return report::RenderDiffJson(diff);
    case DiffView::kFolded:
      return report::RenderDiffFolded(diff);
    case DiffView::kPerf:
      return report::RenderPerfDiff(diff, arguments.perf);
    default:
      return report::RenderDiff(diff, text);
  }
}

std::string Render(const StatReport& report, const DiffArguments& arguments) {
  report::StatTextStyle style;
  style.color = WantsColor(arguments.color);
  style.histogram = WritesToTerminal();
  if (style.histogram) style.width = TerminalWidth();
  return RenderCounts(report, arguments, style);
}

// Why --fail-if-slower cannot fail, whatever was recorded; empty: it can.
std::string Undecidable(const ProfileDiff& diff) {
  const auto& total = diff.events.front().total;
  if (total.verdict != analysis::diff::TotalVerdict::kTooFewRuns) return "";
  return fmt::format("so few runs prove nothing at --alpha {:g}, {} of each side are needed",
                     diff.alpha, total.runs_needed);
}

// The verdict on counts says so itself.
std::string Undecidable(const StatReport&) { return ""; }

// What --fail-if-slower has to say; empty: nothing.
std::string Slower(const ProfileDiff& diff, double percent) {
  if (!analysis::diff::IsSlowerBy(diff, percent)) return "";
  return report::DiffVerdict(diff, diff.events.front());
}

std::string Slower(const StatReport& report, double percent) {
  for (const auto& comparison : report.comparisons) {
    if (analysis::counts::IsWorseBy(comparison, percent)) return "after is " + comparison.verdict;
  }
  return "";
}

Result<int> Show(const Compared& compared, const DiffArguments& arguments) {
  const std::string text = std::visit(
      [&](const auto& comparison) { return Render(comparison, arguments); }, *compared.comparison);
  const bool for_programs =
      arguments.json || arguments.view == DiffView::kFolded || !arguments.text.separator.empty();
  PROF_TRY(arguments.pager && !for_programs ? ShowOutput(text, "comparison")
                                            : WriteOutput(text, "comparison"));
  if (!arguments.fail_if_slower) return compared.status;
  const std::string slower = std::visit(
      [&](const auto& comparison) { return Slower(comparison, *arguments.fail_if_slower); },
      *compared.comparison);
  if (slower.empty()) {
    const std::string why = std::visit(
        [](const auto& comparison) { return Undecidable(comparison); }, *compared.comparison);
    if (!why.empty())
      std::fprintf(stderr, "prof diff: --fail-if-slower cannot decide: %s\n", why.c_str());
    return compared.status;
  }
  std::fprintf(stderr, "prof diff: --fail-if-slower %g: %s\n", *arguments.fail_if_slower,
               slower.c_str());
  return kExitSlower;
}

AnnotateArguments AnnotationOf(const DiffArguments& arguments) {
  AnnotateArguments annotate;
  annotate.inputs = {arguments.files.before.front(), arguments.files.after.front()};
  annotate.query = arguments.symbol;
  annotate.scope.filter = arguments.diff.filter;
  annotate.scope.names = arguments.diff.names;
  annotate.time = arguments.time_before;
  annotate.filters = arguments.filters;
  annotate.debuginfod = arguments.debuginfod;
  annotate.text.quiet = arguments.text.quiet;
  annotate.text.show_samples = arguments.text.samples;
  annotate.color = arguments.color;
  annotate.json = arguments.json;
  annotate.pager = arguments.pager;
  annotate.verbose = arguments.verbose;
  return annotate;
}

Result<int> Diff(const DiffArguments& arguments) {
  if (arguments.view == DiffView::kAnnotate) {
    PROF_TRY(ShowAnnotation(AnnotationOf(arguments)));
    return 0;
  }
  Compared compared;
  if (arguments.runs) {
    PROF_TRY_ASSIGN(compared, RecordAndCompare(arguments));
    if (!compared.comparison) return compared.status;
  } else {
    PROF_TRY_ASSIGN(compared.comparison, CompareFiles(arguments.files, arguments));
  }
  return Show(compared, arguments);
}

}  // namespace

int DiffMain(const std::vector<std::string>& args) {
  const auto arguments = ParseDiffArguments(args);
  if (!arguments) return arguments.error();
  if (arguments->runs) {
    if (const auto status = CheckRuns(*arguments->runs)) return *status;
  }
  const auto status = Diff(*arguments);
  return status ? *status : PrintError("diff", status.error());
}

}  // namespace prof::tools
