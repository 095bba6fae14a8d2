// Writes every number of a comparison.
#include "report/stat_json_comparison.h"

#include "report/stat_numbers.h"
#include "report/stat_schema.h"

namespace prof::report {

using analysis::counts::QuantityComparison;
using analysis::statistics::Comparison;
using analysis::statistics::Shift;
using Json = nlohmann::ordered_json;

namespace {

Json SummaryJson(const analysis::statistics::Summary& summary) {
  Json json = Json::object();
  AddSummary(summary, json);
  return json;
}

Json ShiftJson(const Shift& shift) {
  Json json = {{"estimate", shift.estimate}};
  if (shift.interval) {
    json["low"] = shift.interval->low;
    json["high"] = shift.interval->high;
    json["coverage"] = shift.coverage;
  }
  return json;
}

Json QuantityJson(const QuantityComparison& compared) {
  const Comparison& numbers = compared.comparison;
  Json json = {{"name", compared.quantity.name},
               {"unit", compared.quantity.unit},
               {"higher-is-better", compared.quantity.higher_is_better},
               {"verdict", VerdictName(compared.verdict)},
               {"p", compared.p},
               {"a", SummaryJson(numbers.a)},
               {"b", SummaryJson(numbers.b)},
               {"median-difference", numbers.median_difference}};
  if (numbers.median_ratio) json["median-ratio"] = *numbers.median_ratio;
  json["shift"] = ShiftJson(numbers.shift);
  if (numbers.ratio) json["ratio"] = ShiftJson(*numbers.ratio);
  json["mann-whitney"] = {{"u", numbers.mann_whitney.u},
                          {"p", numbers.mann_whitney.p},
                          {"method", MethodName(numbers.mann_whitney.method)},
                          {"cliffs-delta", numbers.mann_whitney.cliffs_delta}};
  json["permutation"] = {{"difference", numbers.permutation.difference},
                         {"p", numbers.permutation.p},
                         {"method", MethodName(numbers.permutation.method)}};
  if (numbers.welch) {
    json["welch"] = {
        {"difference", numbers.welch->difference}, {"low", numbers.welch->interval.low},
        {"high", numbers.welch->interval.high},    {"t", numbers.welch->t},
        {"degrees", numbers.welch->degrees},       {"p", numbers.welch->p}};
  }
  if (numbers.effect) {
    json["cohens-d"] = numbers.effect->cohens_d;
    json["hedges-g"] = numbers.effect->hedges_g;
  }
  json["smallest-p"] = numbers.smallest_p;
  json["runs-needed"] = numbers.runs_needed;
  if (numbers.smallest_change) json["smallest-change"] = *numbers.smallest_change;
  return json;
}

}  // namespace

void AddSummary(const analysis::statistics::Summary& summary, Json& json) {
  json["mean"] = summary.mean;
  json["median"] = summary.median;
  if (summary.median_interval) {
    json["low"] = summary.median_interval->interval.low;
    json["high"] = summary.median_interval->interval.high;
  }
  if (summary.deviation) json["sd"] = *summary.deviation;
  json["min"] = summary.min;
  json["max"] = summary.max;
  json["n"] = summary.n;
  if (summary.variation) json["cov"] = *summary.variation;
  if (summary.trust) json["trust"] = TrustWord(*summary.trust);
}

Json ComparisonJson(const analysis::counts::SideComparison& comparison) {
  Json quantities = Json::array();
  for (const QuantityComparison& compared : comparison.quantities)
    quantities.push_back(QuantityJson(compared));
  return {{"prof", "comparison"},
          {"a", comparison.a},
          {"b", comparison.b},
          {"verdict", comparison.verdict},
          {"reasons", comparison.reasons},
          {"quantities", std::move(quantities)},
          {"unusable", comparison.unusable}};
}

}  // namespace prof::report
