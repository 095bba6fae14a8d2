// Writes counts as perf stat -x does, and behind perf's fields those of repeated runs.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "report/stat_layout.h"
#include "report/stat_metric_table.h"
#include "report/stat_noise.h"
#include "report/stat_schema.h"

#include "prof/report/stat_rows.h"

namespace prof::report {

using analysis::counts::Aggregation;
using analysis::counts::CountState;
using analysis::counts::DerivedMetric;
using analysis::counts::QuantityComparison;
using analysis::counts::SideComparison;
using analysis::counts::StatQuantity;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;
using analysis::statistics::Shift;
using analysis::statistics::Summary;

namespace {

// A number with all the digits that matter; nothing where there is none.
std::string Digits(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : std::string();
}
std::string Fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : std::string();
}

// One line before it is joined: perf's fields, then ours.
struct Row {
  std::string label;
  std::uint32_t aggregated = 0;
  std::string value;
  std::string unit;
  std::string event;
  std::string variance;
  std::string runtime;
  std::string running;
  std::string metric_value;
  std::string metric_unit;
  std::string median;
  std::string low;
  std::string high;
  std::string deviation;
  std::string min;
  std::string max;
  std::string runs;
  std::uint32_t side = 0;
};

void AddRepeats(const std::optional<Summary>& repeats, double factor, Row& row) {
  if (!repeats) return;
  row.variance = fmt::format("{:.2f}%", VariancePercent(*repeats));
  row.median = Digits(repeats->median * factor);
  if (repeats->median_interval) {
    row.low = Digits(repeats->median_interval->interval.low * factor);
    row.high = Digits(repeats->median_interval->interval.high * factor);
  }
  if (repeats->deviation) row.deviation = Digits(*repeats->deviation * factor);
  row.min = Digits(repeats->min * factor);
  row.max = Digits(repeats->max * factor);
  row.runs = std::to_string(repeats->n);
}

void AddMetric(const DerivedMetric& metric, Row& row) {
  row.metric_value = MetricDigits(metric);
  if (!row.metric_value.empty()) row.metric_unit = MetricUnit(metric);
}

// Quoted where a reader of RFC 4180 would else take it for several.
std::string Field(const std::string& text, const std::string& separator) {
  const bool ambiguous = text.find_first_of("\"\r\n") != std::string::npos ||
                         (!separator.empty() && text.find(separator) != std::string::npos);
  if (!ambiguous) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

bool CountsCpus(Aggregation aggregation) {
  return aggregation == Aggregation::kCore || aggregation == Aggregation::kSocket ||
         aggregation == Aggregation::kNode;
}

// The titles of the columns before the metrics of --metric-only.
std::vector<std::string> LabelTitles(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::kTotal:
      return {};
    case Aggregation::kCpu:
      return {"cpu"};
    case Aggregation::kCore:
      return {"core", "cpus"};
    case Aggregation::kSocket:
      return {"socket", "cpus"};
    case Aggregation::kNode:
      return {"node", "cpus"};
    case Aggregation::kThread:
      return {"comm-pid"};
  }
  return {};
}

class CsvText {
 public:
  CsvText(const StatReport& report, const std::string& separator)
      : report_(report), separator_(separator) {
    for (const StatSide& side : report.sides) repeated_ |= side.runs > 1;
  }

  void Add(const Row& row);
  [[nodiscard]] std::string Take() { return std::move(text_); }

 private:
  void AddLabel(const Row& row, std::vector<std::string>& fields) const;

  const StatReport& report_;
  const std::string& separator_;
  bool repeated_ = false;
  std::string text_;
};

void CsvText::AddLabel(const Row& row, std::vector<std::string>& fields) const {
  if (report_.aggregation == Aggregation::kTotal) return;
  fields.push_back(row.label);
  if (CountsCpus(report_.aggregation))
    fields.push_back(row.label.empty() ? "" : std::to_string(row.aggregated));
}

void CsvText::Add(const Row& row) {
  std::vector<std::string> fields;
  if (report_.interval_s) fields.push_back(IntervalColumn(*report_.interval_s));
  AddLabel(row, fields);
  fields.insert(fields.end(), {row.value, row.unit, row.event});
  if (repeated_) fields.push_back(row.variance);
  fields.insert(fields.end(),
                {row.runtime, row.running, row.metric_value, row.metric_unit, row.median, row.low,
                 row.high, row.deviation, row.min, row.max, row.runs});
  if (report_.sides.size() > 1) fields.push_back(std::to_string(row.side));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) text_ += separator_;
    text_ += Field(fields[i], separator_);
  }
  text_ += '\n';
}

void AddEvents(const StatReport& report, const StatSide& side, std::uint32_t id, CsvText& csv) {
  for (const StatValue* value : RowsInOrder(report, side)) {
    if (!HasRow(report, *value)) continue;
    Row row;
    row.side = id;
    row.label = value->label;
    row.aggregated = value->aggregated;
    row.unit = value->unit;
    row.event = EventName(report, value->event);
    row.runtime = std::to_string(value->running_ns);
    row.running = Fixed(100 * value->counted_share, 2);
    if (value->state == CountState::kNotSupported) {
      row.value = "<not supported>";
    } else if (value->state == CountState::kNotCounted) {
      row.value = "<not counted>";
    } else {
      row.value = EventNumber(report, *value, false);
      if (value->metric) AddMetric(*value->metric, row);
      AddRepeats(value->repeats, 1, row);
    }
    csv.Add(row);
  }
  for (const DerivedMetric& metric : side.metrics) {
    Row row;
    row.side = id;
    row.event = "prof:derived:" + metric.name;
    AddMetric(metric, row);
    csv.Add(row);
  }
}

void AddQuantities(const StatReport& report, const StatSide& side, std::uint32_t id, CsvText& csv) {
  for (const StatQuantity& quantity : side.quantities) {
    const QuantityName name = RowNameOf(quantity.quantity);
    if (HasCounted(report, side, name.event)) continue;
    Row row;
    row.side = id;
    row.event = name.event;
    row.unit = name.unit;
    const double value = quantity.value * name.factor;
    row.value = name.is_time ? Fixed(value, 0) : Digits(value);
    if (name.is_time) {
      row.runtime = row.value;
      row.running = "100.00";
    }
    AddRepeats(quantity.repeats, name.factor, row);
    csv.Add(row);
  }
}

void AddRemarks(const StatSide& side, std::uint32_t id, CsvText& csv) {
  for (const NoiseWitness& witness : KnownWitnesses(side.noise.total, side.runs)) {
    Row row;
    row.side = id;
    row.event = fmt::format("prof:{}", witness.name);
    row.unit = witness.unit;
    row.value = std::to_string(witness.value);
    csv.Add(row);
  }
  for (const auto& outlier : side.outliers) {
    Row row;
    row.side = id;
    row.event = fmt::format("prof:outlier:{}", outlier.run);
    row.unit = outlier.quantity.unit;
    row.value = Digits(outlier.value);
    row.median = Digits(outlier.median);
    for (const std::string& cause : outlier.causes)
      row.metric_unit += (row.metric_unit.empty() ? "" : "; ") + cause;
    csv.Add(row);
  }
}

Row ComparedRow(const SideComparison& comparison, const std::string& what, std::string value) {
  Row row;
  row.side = comparison.b;
  row.event = fmt::format("prof:compare:{}:{}", comparison.a, what);
  row.value = std::move(value);
  return row;
}

void AddShift(const SideComparison& comparison, const std::string& what, const std::string& unit,
              const Shift& shift, CsvText& csv) {
  Row row = ComparedRow(comparison, what, Digits(shift.estimate));
  row.unit = unit;
  if (shift.interval) {
    row.low = Digits(shift.interval->low);
    row.high = Digits(shift.interval->high);
  }
  csv.Add(row);
}

void AddComparison(const SideComparison& comparison, CsvText& csv) {
  csv.Add(ComparedRow(comparison, "verdict", comparison.verdict));
  for (const QuantityComparison& compared : comparison.quantities) {
    const auto& numbers = compared.comparison;
    const std::string name = compared.quantity.name + ':';
    csv.Add(ComparedRow(comparison, name + "verdict", VerdictName(compared.verdict)));
    if (numbers.ratio) AddShift(comparison, name + "ratio", "", *numbers.ratio, csv);
    AddShift(comparison, name + "shift", compared.quantity.unit, numbers.shift, csv);
    csv.Add(ComparedRow(comparison, name + "p", Digits(compared.p)));
    csv.Add(
        ComparedRow(comparison, name + "cliffs-delta", Digits(numbers.mann_whitney.cliffs_delta)));
    if (numbers.effect)
      csv.Add(ComparedRow(comparison, name + "cohens-d", Digits(numbers.effect->cohens_d)));
  }
}

}  // namespace

std::string RenderStatCsv(const StatReport& report, const std::string& separator) {
  CsvText csv(report, separator);
  for (std::size_t i = 0; i < report.sides.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    AddEvents(report, report.sides[i], id, csv);
    if (report.interval_s) continue;
    AddQuantities(report, report.sides[i], id, csv);
    AddRemarks(report.sides[i], id, csv);
  }
  for (const SideComparison& comparison : report.comparisons) AddComparison(comparison, csv);
  return csv.Take();
}

std::string RenderMetricCsv(const StatReport& report, const std::string& separator,
                            bool with_header) {
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& fields) {
    for (const std::string& field : fields) text += Field(field, separator) + separator;
    text += '\n';
  };
  for (const StatSide& side : report.sides) {
    const MetricTable table = MetricsAlone(report, side);
    if (with_header) {
      std::vector<std::string> titles = LabelTitles(report.aggregation);
      if (report.interval_s) titles.insert(titles.begin(), "time");
      titles.insert(titles.end(), table.titles.begin(), table.titles.end());
      add_line(titles);
    }
    for (const MetricTable::Row& row : table.rows) {
      std::vector<std::string> fields;
      if (report.interval_s) fields.push_back(IntervalColumn(*report.interval_s));
      if (report.aggregation != Aggregation::kTotal) fields.push_back(row.label->label);
      if (CountsCpus(report.aggregation)) fields.push_back(std::to_string(row.label->aggregated));
      for (const DerivedMetric* metric : row.cells)
        fields.push_back(metric == nullptr ? "" : MetricDigits(*metric));
      add_line(fields);
    }
  }
  return text;
}

}  // namespace prof::report
