// Puts the parts of `prof stat`'s text together.
#include "prof/report/stat_text.h"

#include "report/stat_comparison_text.h"
#include "report/stat_layout.h"
#include "report/stat_metric_table.h"
#include "report/stat_remarks.h"
#include "report/stat_side_text.h"

namespace prof::report {

using analysis::counts::CountState;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;

namespace {

constexpr int kUnwrapped = 1'000'000;

// Blocks that are not empty, with one empty line between them.
void AddBlock(std::string& text, const std::string& block) {
  if (block.empty()) return;
  if (!text.empty() && text != "\n" && !text.ends_with("\n\n")) text += '\n';
  text += block;
}

std::string NotesText(const StatReport& report, const StatTextStyle& style) {
  std::string text;
  for (const std::string& note : report.notes) text += Paragraph(" note: ", note, style);
  return text;
}

// Of compared sides times and the command's numbers alone: the table of the comparison has the
// rest.
std::string SidesText(const StatReport& report, const StatTextStyle& style) {
  const bool compared = !report.comparisons.empty();
  std::string text;
  for (std::size_t i = 0; i < report.sides.size(); ++i) {
    const StatSide& side = report.sides[i];
    const std::string target = report.sides.size() == 1
                                   ? report.target_text
                                   : SideName(report, static_cast<std::uint32_t>(i));
    AddBlock(text, SideTitle(target, side.runs) + SideNumbers(report, side, !compared, style));
    AddBlock(text, SideRemarks(side, style));
  }
  return text;
}

std::string IntervalRows(const StatReport& report, const StatSide& side, const std::string& time,
                         const StatTextStyle& style) {
  std::string text;
  if (style.metric_only) {
    const MetricTable table = MetricsAlone(report, side);
    for (const auto& row : table.rows) text += time + ' ' + MetricRow(report, table, row) + '\n';
    return text;
  }
  const std::size_t unit_columns = UnitColumns(side);
  for (const StatValue* value : RowsInOrder(report, side))
    if (value->state != CountState::kNotSupported)
      text += time + ' ' + EventRow(report, *value, unit_columns, style) + '\n';
  for (const auto& metric : side.metrics)
    text += time + std::string(kValueColumns + unit_columns + kNameColumns + 3, ' ') + " # " +
            MetricNumber(metric) + ' ' + MetricUnit(metric) + '\n';
  return text;
}

}  // namespace

std::string RenderStatText(const StatReport& report, const StatTextStyle& style) {
  std::string text = "\n";
  if (report.sides.empty()) text += SideTitle(report.target_text, 0);
  AddBlock(text, ComparisonsText(report, style));
  AddBlock(text, SidesText(report, style));
  AddBlock(text, RefusedText(report, style));
  AddBlock(text, NotesText(report, style));
  return text.ends_with("\n\n") ? text : text + '\n';
}

std::string RenderIntervalText(const StatReport& report, const StatTextStyle& style,
                               bool with_header) {
  std::string text;
  if (report.sides.empty()) return text;
  const StatSide& side = report.sides.front();
  if (with_header) {
    text = style.metric_only
               ? "#           time " + MetricHeading(report, MetricsAlone(report, side)) + '\n'
               : IntervalHeading(report.aggregation, UnitColumns(side)) + '\n';
    // Each in one line: a reader that skips comments skips all of it.
    StatTextStyle unwrapped = style;
    unwrapped.width = kUnwrapped;
    for (const auto& refused : report.refused) text += RefusedSentence(refused, "# ", unwrapped);
  }
  return text + IntervalRows(report, side, IntervalColumn(report.interval_s.value_or(0)), style);
}

}  // namespace prof::report
