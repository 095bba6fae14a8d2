// Puts counts into the columns of perf stat (builtin-stat's stat-display.c of Linux 6.1).
#include "report/stat_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/call_graph_text.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

namespace prof::report {

using analysis::counts::Aggregation;
using analysis::counts::CountState;
using analysis::counts::DerivedMetric;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;

namespace {

constexpr std::size_t kSmallestUnitColumns = 4;  // of "unit", as in perf
constexpr std::size_t kCommColumns = 16;
constexpr std::size_t kTidColumns = 8;

std::string TrimmedRight(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// "comm-tid", aligned at the '-' between them.
std::string ThreadColumns(const std::string& label) {
  const std::size_t dash = label.rfind('-');
  if (dash == std::string::npos) return PadLeft(label, kCommColumns) + std::string(10, ' ');
  return PadLeft(label.substr(0, dash), kCommColumns) + '-' +
         PadRight(label.substr(dash + 1), kTidColumns) + ' ';
}

}  // namespace

std::string Shaded(const std::string& text, Shade shade, const StatTextStyle& style) {
  static constexpr const char* kCodes[] = {"\033[32m", "\033[31m", "\033[33m", "\033[2m"};
  if (!style.color || text.empty()) return text;
  // A colour does not reach over the end of a line.
  const bool ends_line = text.ends_with('\n');
  return kCodes[static_cast<std::size_t>(shade)] + text.substr(0, text.size() - ends_line) +
         kColorEnd + (ends_line ? "\n" : "");
}

std::string EventNumber(const StatReport& report, const StatValue& value, bool grouped) {
  const bool scaled = value.unit == "msec" || (value.event < report.events.size() &&
                                               std::floor(report.events[value.event].scale) !=
                                                   report.events[value.event].scale);
  return FixedText(value.value, scaled ? 2 : 0, grouped);
}

std::string EventName(const StatReport& report, model::EventId event) {
  return event < report.events.size() ? Printable(report.events[event].name)
                                      : fmt::format("event {}", event);
}

std::vector<const StatValue*> RowsInOrder(const StatReport& report, const StatSide& side) {
  std::vector<const StatValue*> rows;
  rows.reserve(side.values.size());
  for (const StatValue& value : side.values) rows.push_back(&value);
  if (report.aggregation == Aggregation::kCpu || report.aggregation == Aggregation::kThread) {
    // Elements of a vector: their addresses keep the order of the labels.
    std::ranges::sort(rows, [](const StatValue* a, const StatValue* b) {
      return a->event != b->event ? a->event < b->event : a < b;
    });
  }
  return rows;
}

std::string LabelColumns(Aggregation aggregation, const StatValue& value) {
  const std::string label = Printable(value.label);
  switch (aggregation) {
    case Aggregation::kTotal:
      return {};
    case Aggregation::kCpu:
      return PadRight(label, 10) + ' ';
    case Aggregation::kCore:
      return PadRight(label, 15) + fmt::format(" {:4} ", value.aggregated);
    case Aggregation::kSocket:
    case Aggregation::kNode:
      return PadRight(label, 6) + fmt::format(" {:4} ", value.aggregated);
    case Aggregation::kThread:
      return ThreadColumns(label);
  }
  return {};
}

std::string IntervalHeading(Aggregation aggregation, std::size_t unit_columns) {
  const std::string counts = "            counts " + PadLeft("unit", unit_columns) + " events";
  switch (aggregation) {
    case Aggregation::kTotal:
      return "#           time " + counts;
    case Aggregation::kCpu:
      return "#           time CPU        " + counts;
    case Aggregation::kCore:
      return "#           time core            cpus " + counts;
    case Aggregation::kSocket:
      return "#           time socket cpus " + counts;
    case Aggregation::kNode:
      return "#           time node   cpus " + counts;
    case Aggregation::kThread:
      return "#           time             comm-pid      " + counts;
  }
  return {};
}

std::string IntervalColumn(double seconds) { return fmt::format("{:16.9f}", seconds); }

std::size_t UnitColumns(const StatSide& side) {
  std::size_t columns = kSmallestUnitColumns;
  for (const StatValue& value : side.values) columns = std::max(columns, DisplayWidth(value.unit));
  return columns;
}

std::string ValueColumns(const std::string& label, const std::string& number,
                         const std::string& unit, std::size_t unit_columns,
                         const std::string& name) {
  return label + PadLeft(number, kValueColumns) + ' ' + PadRight(unit, unit_columns) + ' ' + name;
}

std::string MetricNumber(const DerivedMetric& metric) {
  if (!std::isfinite(metric.value)) return PadLeft(kNoNumber, 8);
  if (metric.is_percent) return fmt::format("{:7.2f}%", metric.value);
  const bool ratio = metric.unit.ends_with("per cycle") || metric.unit.ends_with("per insn");
  return ratio ? fmt::format("{:7.2f} ", metric.value) : fmt::format("{:8.3f}", metric.value);
}

std::string MetricUnit(const DerivedMetric& metric) {
  // The '%' is already at the number.
  const bool repeated = metric.is_percent && metric.unit.starts_with("% ");
  return Printable(repeated ? metric.unit.substr(2) : metric.unit);
}

std::string MetricPhrase(const DerivedMetric& metric) {
  const std::string number = MetricNumber(metric);
  const std::size_t begin = number.find_first_not_of(' ');
  return number.substr(begin, number.find_last_not_of(' ') + 1 - begin) + ' ' + MetricUnit(metric);
}

std::string EventRow(const StatReport& report, const StatValue& value, std::size_t unit_columns,
                     const StatTextStyle& style) {
  const std::string number = value.state == CountState::kNotCounted
                                 ? "<not counted>"
                                 : EventNumber(report, value, style.big_numbers);
  std::string row =
      ValueColumns(LabelColumns(report.aggregation, value), number, value.unit, unit_columns,
                   PadRight(EventName(report, value.event), kNameColumns));
  const bool counted = value.state == CountState::kCounted;
  std::string comment;
  if (counted && value.metric)
    comment = " # " + MetricNumber(*value.metric) + ' ' + MetricUnit(*value.metric);
  row += PadRight(comment, kMetricColumns);
  if (counted && value.counted_share < 1)
    row += fmt::format("  ({}%)", FixedText(100 * value.counted_share, 2));
  return TrimmedRight(row);
}

std::string Paragraph(const std::string& first, const std::string& text,
                      const StatTextStyle& style) {
  const std::size_t indent = DisplayWidth(first);
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40));
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string result;
  for (const std::string& line : WrapWords(Printable(text), room))
    result += (result.empty() ? first : std::string(indent, ' ')) + line + '\n';
  return result;
}

std::string RefusedSentence(const analysis::counts::RefusedLine& line, const std::string& first,
                            const StatTextStyle& style) {
  std::string events;
  for (const std::string& event : line.events) events += (events.empty() ? "" : ", ") + event;
  return Paragraph(first, "not counted here: " + events + ": " + line.reason, style);
}

std::string RefusedText(const StatReport& report, const StatTextStyle& style) {
  std::string text;
  for (const analysis::counts::RefusedLine& line : report.refused) {
    text += RefusedSentence(line, " ", style);
    if (!line.hint.empty()) text += Shaded(Paragraph("   ", line.hint, style), Shade::kHint, style);
  }
  return text;
}

}  // namespace prof::report
