// `prof report --stdio`: the honesty block, tables and call graphs as text, in perf's columns and
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prof/analysis/report_table.h"
#include "prof/report/report_data.h"

namespace prof::report {

enum class Column : std::uint8_t {
  kOverhead,
  kOverheadChildren,
  kSamples,
  kPeriod,
  kInterval,
  kKey
};

struct Field {
  Column column = Column::kKey;
  analysis::SortKey key = analysis::SortKey::kSym;  // of kKey
  friend bool operator==(const Field&, const Field&) = default;
};

// Narrower terminals get the layout of this width, and wrap it.
inline constexpr int kMinWidth = 60;

struct TextOptions {
  int width = 0;  // columns of the terminal; 0: a pipe, never cut
  bool color = false;
  bool honesty = true;
  bool quiet = false;         // -q: rows only
  bool show_samples = false;  // -n
  bool show_total_period = false;
  bool show_threads = false;  // -T
  bool interval = false;      // 95 % half-width column: --ci, or on a terminal wide enough
  std::string separator;      // -t: fields separated by it, unpadded
  std::vector<Field>
      fields;  // -F; empty: the default columns. Sort keys left out come after them, as in perf
  analysis::CallGraphOptions call_graph;
};

// The whole report. Pure: text out, nothing printed.
std::string RenderText(const ReportData& data, const TextOptions& options);

// The lines of the honesty block, without "# ".
std::vector<std::string> HonestyLines(const ReportData& data);

}  // namespace prof::report
