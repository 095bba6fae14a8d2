// One event's table: columns, their widths, headings and rows.
#pragma once

#include <string>
#include <vector>

#include "prof/report/text_report.h"

namespace prof::report {

// The headings, then every row with its call graph.
std::string RenderTable(const analysis::EventTable& table,
                        const std::vector<analysis::SortKey>& sort, const TextOptions& options);

// Joins padded (or, with a separator, bare) cells to a line; widths[i] < 0 means left-aligned.
struct Cell {
  std::string text;
  const char* color = nullptr;
};
std::string JoinCells(const std::vector<Cell>& cells, const std::vector<int>& widths,
                      const std::string& separator);

// "# " headings, the dotted rule and "#"; with a separator the headings only.
std::string RenderHeadings(const std::vector<std::string>& titles, const std::vector<int>& widths,
                           const std::string& separator);

}  // namespace prof::report
