// What CSV and JSON rows of `prof stat` have in common; docs/stat-formats.md is their schema.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

// perf's "variance": the standard deviation of the mean as percent of it; 0 where it is not
// defined.
double VariancePercent(const analysis::statistics::Summary& summary);

// Rows for programs: nobody asked for default events by name, so refused ones have none.
bool HasRow(const analysis::counts::StatReport& report, const analysis::counts::StatValue& value);

// A quantity as a row: times are perf's tool events in ns.
struct QuantityName {
  std::string event;  // "duration_time", "prof:max-rss", "prof:metric:NAME"
  std::string unit;
  double factor = 1;  // from the quantity's unit to this one
  bool is_time = false;
};
QuantityName RowNameOf(const analysis::counts::Quantity& quantity);

// Whether `side` has counted an event of that name itself ("duration_time" of -e).
bool HasCounted(const analysis::counts::StatReport& report, const analysis::counts::StatSide& side,
                const std::string& event);

// The number of a metric alone, as perf prints it: "0.434"; empty where it is none.
std::string MetricDigits(const analysis::counts::DerivedMetric& metric);

// "lower", "higher", "no difference shown", "too noisy", "too few runs".
const char* VerdictName(analysis::statistics::Verdict verdict);
// "exact", "exact with ties", "normal", "random permutations".
const char* MethodName(analysis::statistics::PMethod method);

}  // namespace prof::report
