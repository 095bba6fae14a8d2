// Writes the numbers of one run in perf's columns, those of several as median, interval and spread.
#include "report/stat_side_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "report/stat_layout.h"
#include "report/stat_metric_table.h"
#include "report/stat_numbers.h"
#include "report/stat_remarks.h"
#include "report/text_fit.h"

namespace prof::report {

using analysis::counts::CountState;
using analysis::counts::QuantityKind;
using analysis::counts::StatQuantity;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;
using analysis::statistics::Summary;

namespace {

// Longer names push the interval of their own row only.
constexpr std::size_t kWidestAligned = 44;
constexpr int kElapsedDecimals = 9;

// "seconds time elapsed", "seconds user", "MB max rss", "seconds/iteration".
std::string QuantityWords(const StatQuantity& quantity) {
  const std::string& unit = quantity.quantity.unit;
  return Printable(unit.empty() ? quantity.quantity.name : unit + ' ' + quantity.quantity.name);
}

// perf's column of times: the words follow the value at once.
std::string QuantityColumns(const StatQuantity& quantity, const std::string& number) {
  return PadLeft(number, kValueColumns) + ' ' + QuantityWords(quantity);
}

// Two lines of repeated values; `left` up to the name.
struct RepeatedRow {
  std::size_t label = 0;  // columns before those of perf without labels
  std::string left;
  std::string interval;
  const Summary* summary = nullptr;
  std::string comment;   // of the second line
  bool grouped = false;  // thousands
};

std::string MeanText(const RepeatedRow& row, std::size_t runs) {
  const Summary& summary = *row.summary;
  const int decimals = DecimalsOf(summary);
  std::string text;
  if (summary.n == 1) {
    text = "counted in one run";
  } else if (summary.min == summary.max) {
    text = fmt::format("the same in {} runs", summary.n);
  } else {
    const double deviation = summary.deviation.value_or(0);
    const int mean_decimals = std::max(decimals, DecimalsFor(deviation, summary.mean));
    text =
        fmt::format("mean {} +- {}, {} to {}", FixedText(summary.mean, mean_decimals, row.grouped),
                    FixedText(deviation, mean_decimals, row.grouped),
                    SummaryText(summary, summary.min, row.grouped),
                    SummaryText(summary, summary.max, row.grouped));
  }
  if (summary.n > 1 && summary.n < runs) text += fmt::format(", counted in {} runs", summary.n);
  return row.comment.empty() ? text : text + "  " + row.comment;
}

std::string SpreadText(const Summary& summary, const StatTextStyle& style) {
  if (!summary.variation || !summary.trust) return {};
  const char* word = TrustWord(*summary.trust);
  const bool doubtful = *summary.trust == analysis::statistics::Trust::kInvestigate;
  const double percent = 100 * *summary.variation;
  return fmt::format("CoV {:>4} % {}", FixedText(percent, percent < 99.95 ? 1 : 0),
                     doubtful ? Shaded(word, Shade::kDoubtful, style) : word);
}

constexpr std::string_view kIntervalHeading = "[95 %]";

// What the columns are, above the first of them.
std::string RepeatedHeading(std::size_t label, std::size_t left, std::size_t interval,
                            const StatTextStyle& style) {
  std::string line =
      PadRight(std::string(label, ' ') + PadLeft("median", kValueColumns), left) + "  ";
  if (interval != 0) line += PadRight(std::string(kIntervalHeading), interval) + "  ";
  return Shaded(line + "deviation / mean\n", Shade::kHint, style);
}

std::string RenderRepeated(const std::vector<RepeatedRow>& rows, std::size_t runs, bool heading,
                           const StatTextStyle& style) {
  std::size_t left = 0;
  std::size_t interval = 0;
  for (const RepeatedRow& row : rows) {
    const std::size_t widest = kWidestAligned + row.label;
    if (DisplayWidth(row.left) <= widest) left = std::max(left, DisplayWidth(row.left));
    interval = std::max(interval, DisplayWidth(row.interval));
  }
  if (interval != 0) interval = std::max(interval, kIntervalHeading.size());
  const auto repeated =
      std::ranges::find_if(rows, [](const RepeatedRow& row) { return row.summary != nullptr; });
  std::string text;
  if (heading && repeated != rows.end())
    text = RepeatedHeading(repeated->label, left, interval, style);
  for (const RepeatedRow& row : rows) {
    std::string line = row.left;
    if (row.summary != nullptr) {
      std::string right;
      if (interval != 0) right = "  " + PadRight(row.interval, interval);
      const std::string spread = SpreadText(*row.summary, style);
      if (!spread.empty()) right += "  " + spread;
      line = PadRight(line, left) + right;
      line.erase(line.find_last_not_of(' ') + 1);
      line += '\n' + std::string(row.label + kValueColumns + 6, ' ') + MeanText(row, runs);
    }
    text += line + '\n';
  }
  return text;
}

std::string IntervalText(const Summary& summary, bool grouped) {
  if (!summary.median_interval) return {};
  const auto& interval = summary.median_interval->interval;
  return fmt::format("[{}, {}]", SummaryText(summary, interval.low, grouped),
                     SummaryText(summary, interval.high, grouped));
}

RepeatedRow RepeatedEvent(const StatReport& report, const StatValue& value,
                          std::size_t unit_columns, const StatTextStyle& style) {
  RepeatedRow row;
  if (value.state != CountState::kCounted || !value.repeats) {
    row.left = EventRow(report, value, unit_columns, style);
    return row;
  }
  const Summary& summary = *value.repeats;
  const std::string label = LabelColumns(report.aggregation, value);
  row.label = DisplayWidth(label);
  row.grouped = style.big_numbers;
  row.left = ValueColumns(label, FixedText(summary.median, DecimalsOf(summary), style.big_numbers),
                          value.unit, unit_columns, EventName(report, value.event));
  row.interval = IntervalText(summary, row.grouped);
  row.summary = &summary;
  if (value.metric) row.comment = "# " + MetricPhrase(*value.metric);
  if (value.counted_share < 1)
    row.comment += fmt::format("{}({}%)", row.comment.empty() ? "" : "  ",
                               FixedText(100 * value.counted_share, 2));
  return row;
}

RepeatedRow RepeatedQuantity(const StatQuantity& quantity, const StatTextStyle& style) {
  const Summary& summary = *quantity.repeats;
  RepeatedRow row;
  // perf never groups times.
  row.grouped = style.big_numbers && !IsTime(quantity.quantity);
  row.left = QuantityColumns(quantity, SummaryText(summary, summary.median, row.grouped));
  row.interval = IntervalText(summary, row.grouped);
  row.summary = &summary;
  return row;
}

bool HasRepeats(const StatSide& side) { return side.runs > 1; }

std::string RepeatedEvents(const StatReport& report, const StatSide& side,
                           const StatTextStyle& style) {
  std::vector<RepeatedRow> rows;
  const std::size_t unit_columns = UnitColumns(side);
  for (const StatValue* value : RowsInOrder(report, side))
    if (value->state != CountState::kNotSupported)
      rows.push_back(RepeatedEvent(report, *value, unit_columns, style));
  return RenderRepeated(rows, side.runs, true, style);
}

std::string RepeatedQuantities(const StatSide& side, bool heading, const StatTextStyle& style) {
  std::vector<RepeatedRow> rows;
  for (const StatQuantity& quantity : side.quantities)
    if (quantity.repeats) rows.push_back(RepeatedQuantity(quantity, style));
  return RenderRepeated(rows, side.runs, heading, style);
}

std::string SingleEvents(const StatReport& report, const StatSide& side,
                         const StatTextStyle& style) {
  std::string text;
  const std::size_t unit_columns = UnitColumns(side);
  for (const StatValue* value : RowsInOrder(report, side))
    if (value->state != CountState::kNotSupported)
      text += EventRow(report, *value, unit_columns, style) + '\n';
  return text;
}

// Numbers of the command's output, the time elapsed, and apart from it as in perf user and system
// time. The memory is part of the noise line.
std::string SingleQuantities(const StatSide& side, const StatTextStyle& style) {
  std::string metrics;
  std::string elapsed;
  std::string cpu;
  for (const StatQuantity& quantity : side.quantities) {
    if (quantity.quantity.kind == QuantityKind::kElapsed) {
      elapsed += QuantityColumns(quantity, FixedText(quantity.value, kElapsedDecimals)) + '\n';
    } else if (IsTime(quantity.quantity)) {
      cpu += QuantityColumns(quantity, FixedText(quantity.value, kElapsedDecimals)) + '\n';
    } else if (quantity.quantity.kind == QuantityKind::kMetric) {
      metrics += QuantityColumns(quantity, NumberText(quantity.value, style.big_numbers)) + '\n';
    }
  }
  std::string text = metrics + elapsed;
  if (!text.empty() && !cpu.empty()) text += '\n';
  return text + cpu;
}

}  // namespace

std::string SideTitle(const std::string& target, std::size_t runs) {
  // perf quotes all targets but process and thread ids, which come quoted.
  const bool quoted = target.find('\'') != std::string::npos;
  const std::string name = Printable(quoted ? target : '\'' + target + '\'');
  return fmt::format(" Performance counter stats for {}{}:\n\n", name,
                     runs > 1 ? fmt::format(" ({} runs)", runs) : "");
}

std::string SideNumbers(const StatReport& report, const StatSide& side, bool events,
                        const StatTextStyle& style) {
  std::string text;
  if (style.metric_only && events) {
    const MetricTable table = MetricsAlone(report, side);
    if (!table.rows.empty()) text += MetricHeading(report, table) + '\n';
    for (const MetricTable::Row& row : table.rows) text += MetricRow(report, table, row) + '\n';
  } else if (events) {
    text +=
        HasRepeats(side) ? RepeatedEvents(report, side, style) : SingleEvents(report, side, style);
  }
  const bool heading = style.metric_only || text.empty();
  if (!text.empty()) text += '\n';
  if (style.table && !side.table.empty()) text += MeasurementTable(side, style);
  const std::string quantities =
      HasRepeats(side) ? RepeatedQuantities(side, heading, style) : SingleQuantities(side, style);
  if (!quantities.empty()) text += quantities + '\n';
  return text;
}

}  // namespace prof::report
