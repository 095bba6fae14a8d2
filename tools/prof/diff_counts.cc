// Merges counts, compares them by the code of prof stat, and renders them as it does.
#include "diff_counts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "saved_counts.h"

#include "prof/report/stat_rows.h"

namespace prof::tools {
namespace {

// Counts have no samples, functions or stacks to choose among.
Status RefuseSampleOptions(const CountsFile& file, const DiffArguments& arguments) {
  const char* what = !arguments.filters.empty()              ? "filters choose among"
                     : !arguments.diff.events.empty()        ? "--event chooses among"
                     : arguments.diff.callers                ? "-g shows the callers of"
                     : arguments.view == DiffView::kFolded   ? "--folded shows the stacks of"
                     : arguments.view == DiffView::kPerf     ? "perf's table is about"
                     : arguments.view == DiffView::kAnnotate ? "--annotate shows the places of"
                     : !arguments.text.separator.empty()     ? "-t separates the fields of"
                                                             : nullptr;
  if (what == nullptr) return {};
  return Fail(ErrorKind::kUsage, file.saved.name + " has counts and no samples, which " + what,
              "prof diff " + arguments.files.before.front() + " " + arguments.files.after.front() +
                  " --json; or profiles of prof record");
}

std::vector<analysis::counts::SavedRuns> Take(std::vector<CountsFile>& files,
                                              std::vector<std::string>& notes) {
  std::vector<analysis::counts::SavedRuns> saved;
  for (CountsFile& file : files) {
    NoteFile(file.facts, notes);
    saved.push_back(std::move(file.saved));
  }
  return saved;
}

}  // namespace

Result<analysis::counts::StatReport> CompareCounts(std::vector<CountsFile> before,
                                                   std::vector<CountsFile> after,
                                                   const DiffArguments& arguments) {
  PROF_TRY(RefuseSampleOptions(before.front(), arguments));
  std::vector<std::string> notes;
  const auto old_runs = Take(before, notes);
  const auto new_runs = Take(after, notes);
  PROF_TRY_ASSIGN(const analysis::counts::RunSet runs,
                  analysis::counts::MergeRuns(old_runs, new_runs));
  analysis::counts::StatReport report =
      analysis::counts::BuildStatReport(runs, {.alpha = arguments.diff.alpha});
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  report.notes.emplace_back(
      "A and B were not measured in turn: what changed on the machine between them is part of the "
      "difference (prof stat --vs interleaves the runs)");
  return report;
}

std::string RenderCounts(const analysis::counts::StatReport& report, const DiffArguments& arguments,
                         const report::StatTextStyle& style) {
  return arguments.json ? report::RenderStatJson(report) : report::RenderStatText(report, style);
}

}  // namespace prof::tools
