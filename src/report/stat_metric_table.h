// Nothing but metrics (--metric-only): a row for each label, a column for each metric.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

// No rates, as in perf: their unit (K/sec, M/sec) changes from row to row, the title does not.
// Points into the side that it was made of.
struct MetricTable {
  struct Row {
    const analysis::counts::StatValue* label = nullptr;         // any value of the row
    std::vector<const analysis::counts::DerivedMetric*> cells;  // null: not known here
  };
  std::vector<std::string> titles;
  std::vector<Row> rows;  // empty without metrics
};
MetricTable MetricsAlone(const analysis::counts::StatReport& report,
                         const analysis::counts::StatSide& side);

// As text. Empty without metrics; no line ends.
std::string MetricHeading(const analysis::counts::StatReport& report, const MetricTable& table);
std::string MetricRow(const analysis::counts::StatReport& report, const MetricTable& table,
                      const MetricTable::Row& row);

}  // namespace prof::report
