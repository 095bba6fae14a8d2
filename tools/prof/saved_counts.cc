// Counts of a file as text or JSON.
#include "saved_counts.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "standard_output.h"

#include "prof/analysis/counts/stat_report.h"
#include "prof/report/stat_rows.h"
#include "prof/report/stat_text.h"

namespace prof::tools {
namespace {

report::StatTextStyle StyleOf(const ReportOptions& options) {
  report::StatTextStyle style;
  style.color = options.text.color;
  style.histogram = ::isatty(STDOUT_FILENO) == 1;
  if (style.histogram) style.width = TerminalWidth();
  return style;
}

}  // namespace

void NoteFile(const report::FileFacts& file, std::vector<std::string>& notes) {
  if (!file.complete) {
    notes.push_back(file.name + " is not complete: prof stat did not finish, or the file was cut");
  }
  if (file.unknown_blocks > 0) {
    notes.push_back(file.name + " has parts that only a newer prof knows");
  }
}

Result<std::string> RenderSavedCounts(const analysis::counts::RunSet& runs,
                                      const report::FileFacts& file, const ReportOptions& options) {
  const bool in_time = options.time.begin || options.time.end;
  if (!options.filters.empty() || in_time) {
    return Fail(ErrorKind::kUsage,
                file.name + " has counts and no samples, which filters choose among",
                "leave filters such as --comms and --time out");
  }
  analysis::counts::StatReport report = analysis::counts::BuildStatReport(runs, {});
  NoteFile(file, report.notes);
  if (options.json) return report::RenderStatJson(report);
  return report::RenderStatText(report, StyleOf(options));
}

}  // namespace prof::tools
