// Counts by CPU, core, socket, node, thread or all together, and the values they come to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {

// The runs of one side. All that is pointed to outlives it.
struct RunsInView {
  const RunSet* set = nullptr;
  std::vector<const Run*> runs;
  double elapsed_s = 0;     // mean
  double waited_s = 0;      // MetricInputs, mean
  bool whole_cpus = false;  // MetricInputs
};

struct CountRow {
  std::string label;
  std::uint32_t aggregated = 0;  // CPUs, for core, socket and node
  // Index: EventId, then run; without parts where there is no reading.
  std::vector<std::vector<Count>> counts;
};

// One row without a label where nothing was read, or for Aggregation::kTotal.
std::vector<CountRow> RowsOf(const RunsInView& view, const StatReportOptions& options);

struct RowValues {
  std::vector<StatValue> values;
  std::vector<DerivedMetric> lines;   // metrics without a row
  std::vector<std::string> verdicts;  // of all metrics
};
// The values of all rows; lines and verdicts are of the totals.
RowValues ValuesOf(const RunsInView& view, const StatReportOptions& options);

}  // namespace prof::analysis::counts
