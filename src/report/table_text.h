// One event's table: columns, their widths, headings and rows.
#pragma once

#include <string>
#include <vector>

#include "prof/report/text_report.h"

namespace prof::report {

// The headings, then every row with its call graph.
std::string RenderTable(const analysis::EventTable& table,
                        const std::vector<analysis::SortKey>& sort, const TextOptions& options);

// A text column of a pipe gets no wider: a few endless C++ names do not push what is behind them
// out of sight, nor draw rules of hundreds of dots. They stand whole, over the edge of their
// column.
inline constexpr int kWidestColumn = 80;

// Fits columns into `width` by narrowing the left-aligned ones (widths below 0), the widest first:
// those of symbols down to `symbol_floor`, then the others, then symbols to the least that means
// something.
void ShrinkColumns(std::vector<int>& widths, const std::vector<bool>& symbols, int symbol_floor,
                   int width);

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
