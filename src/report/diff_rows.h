// Which rows of a diff are printed, and with which numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/diff_amounts.h"

#include "prof/report/diff_text.h"

namespace prof::report {

// In last printed digits of the scale.
struct PrintedAmounts {
  std::int64_t before = 0;
  std::int64_t after = 0;
  [[nodiscard]] std::int64_t change() const { return after - before; }
};

// Rows that are one line.
struct PrintedSum {
  std::uint64_t rows = 0;
  std::uint64_t before_samples = 0;
  std::uint64_t after_samples = 0;
  // Without meaning for inclusive amounts: these do not add up.
  PrintedAmounts amounts;
  double before = 0;
  double after = 0;
};

struct PrintedDiff {
  AmountScale scale;
  // Indexes of EventDiff::rows, in the order to print, and their amounts.
  std::vector<std::size_t> rows;
  std::vector<PrintedAmounts> amounts;
  PrintedSum folded;
  // The end of the folded rows' 95 % intervals that is farthest from 0; 0 without intervals.
  double folded_reach = 0;
  std::uint64_t folded_untested = 0;  // of the folded rows: no test was possible
  PrintedSum scarce;
  PrintedAmounts total;
};

// By self, rows, folded and scarce ones add up to the total in `before` and in `after`.
PrintedDiff PrintRows(const analysis::diff::EventDiff& diff, const DiffTextOptions& options);

inline const analysis::diff::Change& ChangeOf(const analysis::diff::DiffRow& row, bool children) {
  return children ? row.children : row.self;
}

// What the rows are: "functions", "lines", "rows"; "function" for one.
std::string RowWord(const std::vector<analysis::SortKey>& keys, std::uint64_t count);

// "212 functions", "1 function".
std::string CountedRows(const std::vector<analysis::SortKey>& keys, std::uint64_t count);

// What a sentence calls a row: the text of its most telling key.
std::string RowName(const analysis::diff::DiffRow& row, const std::vector<analysis::SortKey>& keys);

// Significant rows first, then by the size of the change; as EventDiff::rows are, but by inclusive
// amounts with `children`.
std::vector<std::size_t> RowOrder(const analysis::diff::EventDiff& diff, bool children);

}  // namespace prof::report
