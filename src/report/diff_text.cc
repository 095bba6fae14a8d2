// Puts the text of a diff together: verdict, sides, warnings, one table per event.
#include "prof/report/diff_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/call_graph_text.h"
#include "report/diff_rows.h"
#include "report/diff_table.h"
#include "report/diff_verdict.h"
#include "report/head_text.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

#include "prof/report/text_report.h"

namespace prof::report {
namespace {

using analysis::diff::EventDiff;
using analysis::diff::ProfileDiff;
using analysis::diff::Side;
using analysis::diff::TotalVerdict;

// Colours every line of a comment.
std::string Colored(const std::string& comment, const char* color) {
  std::string text;
  std::size_t begin = 0;
  while (begin < comment.size()) {
    const std::size_t end = comment.find('\n', begin);
    text += color + comment.substr(begin, end - begin) + kColorEnd + '\n';
    begin = end + 1;
  }
  return text;
}

std::string RenderVerdict(const ProfileDiff& diff, const EventDiff& event,
                          const DiffTextOptions& options) {
  const std::string text = Comment(DiffVerdict(diff, event, options.children), options.width);
  if (!options.color) return text;
  if (event.total.verdict == TotalVerdict::kHigher) return Colored(text, "\033[31m");
  if (event.total.verdict == TotalVerdict::kLower) return Colored(text, "\033[32m");
  return text;
}

std::string RenderEventHead(const ProfileDiff& diff, const EventDiff& event,
                            const PrintedDiff& printed, const DiffTextOptions& options) {
  std::string text;
  const auto add = [&](const std::string& line) { text += Comment(line, options.width); };
  if (diff.events.size() > 1) add(fmt::format("event '{}':", Printable(event.event.name)));
  text += RenderVerdict(diff, event, options) + "#\n";
  add(SideSentence(diff, event, Side::kBefore));
  add(SideSentence(diff, event, Side::kAfter));
  if (&event == &diff.events.front()) {
    for (const std::string& warning : diff.warnings) add("warning: " + Printable(warning));
    for (const std::string& note : diff.notes) add("note: " + Printable(note));
  }
  if (!event.event.replaces.empty())
    add(fmt::format("event '{}' stands in for '{}': {}", Printable(event.event.name),
                    Printable(event.event.replaces), Printable(event.event.replaced_because)));
  if (event.filtered_samples > 0)
    add(fmt::format("{} samples of both sides were left out by filters",
                    GroupDigits(std::to_string(event.filtered_samples))));
  if (!event.rows.empty()) add(TestSentence(diff, event));
  if (options.children)
    add(event.walked ? "with everything that was called (--children): a sample counts for each "
                       "of its callers, so the rows do not add up"
                     : "no stacks were recorded: --children is the same as self");
  text += "#\n";
  add(printed.scale.description() + "; change: after - before");
  return text + "#\n";
}

// What the rows leave open, so that nothing is blank.
std::string RenderFoot(const ProfileDiff& diff, const EventDiff& event, const PrintedDiff& printed,
                       const DiffTextOptions& options) {
  const std::string row = RowWord(diff.keys, 1);
  if (event.rows.empty())
    return Comment(fmt::format("no {} has samples enough to be judged", row), options.width);
  const std::uint64_t folded = printed.folded.rows;
  if (folded == 0) return {};
  std::string text = printed.rows.empty() ? fmt::format("no {} changed significantly; ", row) : "";
  if (folded > printed.folded_untested && printed.folded_reach > 0) {
    text += fmt::format("the 95 % interval of {} goes beyond {}; ",
                        folded == 1 ? "the folded one" : "no folded one",
                        printed.scale.Sentence(printed.folded_reach));
    if (folded == 1) text = text.replace(text.find("goes beyond"), 11, "reaches to");
  }
  return Comment(text + "--all shows " + (folded == 1 ? "it" : "them"), options.width);
}

}  // namespace

std::string RenderDiff(const ProfileDiff& diff, const DiffTextOptions& options) {
  DiffTextOptions fitted = options;
  if (fitted.width > 0) fitted.width = std::max(fitted.width, kMinWidth);
  std::string text;
  for (std::size_t i = 0; i < diff.events.size(); ++i) {
    const EventDiff& event = diff.events[i];
    const PrintedDiff printed = PrintRows(event, fitted);
    if (i > 0 && !fitted.quiet) text += '\n';
    if (!fitted.quiet) text += RenderEventHead(diff, event, printed, fitted);
    text += RenderDiffTable(diff, event, printed, fitted);
    if (!fitted.quiet) text += RenderFoot(diff, event, printed, fitted);
  }
  return text;
}

}  // namespace prof::report
