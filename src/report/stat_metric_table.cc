// Finds the columns of --metric-only and fills them.
#include "report/stat_metric_table.h"

#include <algorithm>

#include "report/stat_layout.h"
#include "report/text_fit.h"

namespace prof::report {

using analysis::counts::DerivedMetric;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;

namespace {

constexpr std::size_t kCellColumns = 20;

// The first metrics of their kind.
using Columns = std::vector<const DerivedMetric*>;

bool SameKind(const DerivedMetric& a, const DerivedMetric& b) {
  return a.event == b.event && a.name == b.name;
}

void AddColumn(const StatReport& report, const DerivedMetric& metric, Columns& columns,
               std::vector<std::string>& titles) {
  const auto same = [&](const DerivedMetric* seen) { return SameKind(*seen, metric); };
  if (metric.unit.ends_with("/sec") || std::ranges::any_of(columns, same)) return;
  std::string title = MetricUnit(metric);
  // "branch-misses of all branches", and what two events have: "cycles:u GHz", "cycles:k GHz".
  const bool taken = std::ranges::find(titles, title) != titles.end();
  if (metric.event && (taken || title.starts_with("of all")))
    title = EventName(report, *metric.event) + ' ' + title;
  columns.push_back(&metric);
  titles.push_back(std::move(title));
}

std::string TrimmedRight(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

MetricTable MetricsAlone(const StatReport& report, const StatSide& side) {
  static const StatValue kNoLabel;
  Columns columns;
  MetricTable table;
  std::vector<const StatValue*> labels;
  for (const StatValue& value : side.values) {
    if (value.metric) AddColumn(report, *value.metric, columns, table.titles);
    if (std::ranges::find(labels, value.label, &StatValue::label) == labels.end())
      labels.push_back(&value);
  }
  for (const DerivedMetric& metric : side.metrics) AddColumn(report, metric, columns, table.titles);
  if (columns.empty()) return table;
  if (labels.empty()) labels.push_back(&kNoLabel);
  for (const StatValue* label : labels) {
    MetricTable::Row row = {.label = label, .cells = Columns(columns.size())};
    const auto fill = [&](const DerivedMetric& metric) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (SameKind(*columns[i], metric)) row.cells[i] = &metric;
    };
    for (const StatValue& value : side.values)
      if (value.label == label->label && value.metric) fill(*value.metric);
    if (label == labels.front()) std::ranges::for_each(side.metrics, fill);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string MetricHeading(const StatReport& report, const MetricTable& table) {
  if (table.rows.empty()) return {};
  std::string text(DisplayWidth(LabelColumns(report.aggregation, *table.rows.front().label)), ' ');
  for (const std::string& title : table.titles) text += PadLeft(title, kCellColumns) + ' ';
  return TrimmedRight(text);
}

std::string MetricRow(const StatReport& report, const MetricTable& table,
                      const MetricTable::Row& row) {
  std::string text = LabelColumns(report.aggregation, *row.label);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string cell = row.cells[i] == nullptr ? "" : MetricNumber(*row.cells[i]);
    text += PadLeft(cell, std::max(kCellColumns, DisplayWidth(table.titles[i]))) + ' ';
  }
  return TrimmedRight(text);
}

}  // namespace prof::report
