// Writes counts with the keys of perf stat -j, one object a line, and objects of ours behind them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/stat_json_comparison.h"
#include "report/stat_layout.h"
#include "report/stat_metric_table.h"
#include "report/stat_noise.h"
#include "report/stat_schema.h"

#include "prof/report/stat_rows.h"

namespace prof::report {

using analysis::counts::Aggregation;
using analysis::counts::CountState;
using analysis::counts::StatQuantity;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;
using Json = nlohmann::ordered_json;

namespace {

std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void AddLabel(Aggregation aggregation, const StatValue& value, Json& json) {
  switch (aggregation) {
    case Aggregation::kTotal:
      return;
    case Aggregation::kCpu:
      // perf has the number alone here.
      json["cpu"] = value.label.starts_with("CPU") ? value.label.substr(3) : value.label;
      return;
    case Aggregation::kCore:
      json["core"] = value.label;
      break;
    case Aggregation::kSocket:
      json["socket"] = value.label;
      break;
    case Aggregation::kNode:
      json["node"] = value.label;
      break;
    case Aggregation::kThread:
      json["thread"] = value.label;
      return;
  }
  json["aggregate-number"] = value.aggregated;
}

std::string CounterText(const StatValue& value) {
  switch (value.state) {
    case CountState::kNotSupported:
      return "<not supported>";
    case CountState::kNotCounted:
      return "<not counted>";
    case CountState::kCounted:
      break;
  }
  return std::isfinite(value.value) ? fmt::format("{:.6f}", value.value) : "<not counted>";
}

Json EventJson(const StatReport& report, const StatSide& side, std::size_t id,
               const StatValue& value) {
  Json json = Json::object();
  if (report.interval_s) json["interval"] = *report.interval_s;
  AddLabel(report.aggregation, value, json);
  json["counter-value"] = CounterText(value);
  json["unit"] = value.unit;
  json["event"] =
      value.event < report.events.size() ? report.events[value.event].name : std::string();
  const bool counted = value.state == CountState::kCounted;
  const bool commented = counted && value.metric && std::isfinite(value.metric->value);
  if (side.runs > 1)
    json["variance"] = counted && value.repeats ? VariancePercent(*value.repeats) : 0.0;
  json["event-runtime"] = value.running_ns;
  json["pcnt-running"] = 100 * value.counted_share;
  json["metric-value"] = commented ? value.metric->value : 0.0;
  json["metric-unit"] = commented ? MetricUnit(*value.metric) : "";
  if (counted && value.repeats) AddSummary(*value.repeats, json);
  if (report.sides.size() > 1) json["side"] = id;
  return json;
}

// Times are perf's tool events, as in CSV, unless -e has counted them.
std::string TimeLines(const StatReport& report, const StatSide& side, std::size_t id) {
  std::string text;
  for (const StatQuantity& quantity : side.quantities) {
    const QuantityName name = RowNameOf(quantity.quantity);
    const double value = quantity.value * name.factor;
    if (!name.is_time || !std::isfinite(value) || HasCounted(report, side, name.event)) continue;
    Json json = {{"counter-value", fmt::format("{:.6f}", value)},
                 {"unit", name.unit},
                 {"event", name.event}};
    if (side.runs > 1) json["variance"] = quantity.repeats ? VariancePercent(*quantity.repeats) : 0;
    json.update({{"event-runtime", static_cast<std::uint64_t>(std::clamp(value, 0.0, 0x1p63))},
                 {"pcnt-running", 100.0},
                 {"metric-value", 0.0},
                 {"metric-unit", ""}});
    if (report.sides.size() > 1) json["side"] = id;
    text += Line(json);
  }
  return text;
}

Json NoiseJson(const model::RunNoise& noise, std::size_t runs) {
  Json json = Json::object();
  for (const NoiseWitness& witness : KnownWitnesses(noise, runs))
    json[witness.name] = witness.value;
  return json;
}

Json QuantityJson(const StatQuantity& quantity) {
  Json json = {{"name", quantity.quantity.name},
               {"unit", quantity.quantity.unit},
               {"higher-is-better", quantity.quantity.higher_is_better},
               {"value", quantity.value}};
  if (quantity.repeats) AddSummary(*quantity.repeats, json);
  if (quantity.drift) {
    json["drift"] = {{"found", quantity.drift->found},
                     {"shift", quantity.drift->shift},
                     {"p", quantity.drift->p}};
  }
  return json;
}

Json RunJson(const StatReport& report, const StatSide& side, std::size_t id) {
  Json quantities = Json::array();
  for (const StatQuantity& quantity : side.quantities) quantities.push_back(QuantityJson(quantity));
  Json warnings = Json::array();
  for (const auto& warning : side.noise.warnings) warnings.push_back(warning.words);
  Json json = {{"prof", "run"},
               {"side", id},
               {"target", report.sides.size() == 1 ? report.target_text : side.side.text},
               {"runs", side.runs},
               {"quantities", std::move(quantities)},
               {"noise", NoiseJson(side.noise.total, side.runs)},
               {"noise-seconds", side.noise.elapsed_s},
               {"warnings", std::move(warnings)},
               {"verdicts", side.verdicts},
               {"drifts", side.drifts}};
  if (side.histogram)
    json["histogram"] = {{"edges", side.histogram->edges}, {"counts", side.histogram->counts}};
  if (!side.table.empty()) {
    Json table = Json::array();
    for (const auto& row : side.table)
      table.push_back({{"run", row.run},
                       {"elapsed", row.elapsed_s},
                       {"difference", row.difference_s},
                       {"noise", NoiseJson(row.noise, 1)}});
    json["table"] = std::move(table);
  }
  return json;
}

std::string MetricLines(const StatReport& report, const StatSide& side, std::size_t id) {
  std::string text;
  for (const auto& metric : side.metrics) {
    Json json = Json::object();
    if (report.interval_s) json["interval"] = *report.interval_s;
    json.update({{"prof", "metric"},
                 {"side", id},
                 {"name", metric.name},
                 {"metric-value", metric.value},
                 {"metric-unit", MetricUnit(metric)},
                 {"percent", metric.is_percent},
                 {"verdict", metric.verdict}});
    text += Line(json);
  }
  return text;
}

std::string OutlierLines(const StatSide& side, std::size_t id) {
  std::string text;
  for (const auto& outlier : side.outliers)
    text += Line({{"prof", "outlier"},
                  {"side", id},
                  {"run", outlier.run},
                  {"quantity", outlier.quantity.name},
                  {"unit", outlier.quantity.unit},
                  {"value", outlier.value},
                  {"median", outlier.median},
                  {"causes", outlier.causes}});
  return text;
}

}  // namespace

std::string RenderStatJson(const StatReport& report) {
  std::string text;
  for (std::size_t id = 0; id < report.sides.size(); ++id) {
    const StatSide& side = report.sides[id];
    for (const StatValue* value : RowsInOrder(report, side))
      if (HasRow(report, *value)) text += Line(EventJson(report, side, id, *value));
    text += MetricLines(report, side, id);
    if (report.interval_s) continue;
    text += TimeLines(report, side, id);
    text += Line(RunJson(report, side, id));
    text += OutlierLines(side, id);
  }
  if (report.interval_s) return text;
  for (const auto& comparison : report.comparisons) text += Line(ComparisonJson(comparison));
  for (const auto& refused : report.refused)
    text += Line({{"prof", "refused"},
                  {"events", refused.events},
                  {"reason", refused.reason},
                  {"hint", refused.hint}});
  if (!report.notes.empty()) text += Line({{"prof", "notes"}, {"notes", report.notes}});
  return text;
}

std::string RenderMetricJson(const StatReport& report) {
  std::string text;
  for (const StatSide& side : report.sides) {
    const MetricTable table = MetricsAlone(report, side);
    for (const MetricTable::Row& row : table.rows) {
      Json json = Json::object();
      if (report.interval_s) json["interval"] = *report.interval_s;
      AddLabel(report.aggregation, *row.label, json);
      const std::size_t keys = json.size();
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const std::string digits = row.cells[i] == nullptr ? "" : MetricDigits(*row.cells[i]);
        if (!digits.empty()) json[table.titles[i]] = digits;
      }
      if (json.size() == keys) json["metric-value"] = "none";
      text += Line(json);
    }
  }
  return text;
}

}  // namespace prof::report
