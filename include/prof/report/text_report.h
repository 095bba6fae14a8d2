// `prof report --stdio`: the honesty block, tables and call graphs as text, in perf's columns and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prof/analysis/honesty.h"
#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"

namespace prof::report {

enum class Column : std::uint8_t { kOverhead, kOverheadChildren, kSamples, kPeriod, kSortKeys };

struct TextOptions {
  int width = 0;                 // columns of the terminal; 0: a pipe, never cut
  bool color = false;
  bool honesty = true;
  bool show_samples = false;     // -n
  bool show_total_period = false;
  std::string separator;         // -t: fields separated by it, no padding, no call graphs cut
  std::vector<Column> fields;    // -F; empty: the default columns
  analysis::CallGraphOptions call_graph;
  bool interval = false;         // +- column; on a terminal or with --ci
};

// The whole report. Pure: text out, nothing printed.
std::string RenderText(const analysis::Profile& profile, const analysis::Honesty& honesty,
                       const std::vector<analysis::EventTable>& tables, const std::vector<analysis::SortKey>& sort,
                       const TextOptions& options);

}  // namespace prof::report
