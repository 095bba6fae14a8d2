// Call graphs of a row, drawn as perf draws them.
#pragma once

#include <cstdint>
#include <string>

#include "prof/analysis/report_table.h"

namespace prof::report {

struct CallGraphText {
  analysis::CallGraphOptions options;
  std::uint64_t total_weight = 0;  // 100 % of the event
  bool skip_first = false;  // sorted by symbol first: the row has named the first function already
  int width = 0;            // 0: never cut
  bool color = false;
  std::string folded_separator = ";";
};

// Lines with newlines; empty when there is nothing to draw.
std::string RenderCallGraph(const analysis::TableRow& row, std::uint64_t row_weight,
                            const CallGraphText& how);

// Colour of a share as perf gives it, or nothing: red from 5 %, green from 0.5 %.
const char* ShareColor(double percent);
inline constexpr const char* kColorEnd = "\033[m";

}  // namespace prof::report
