// The state machine that produces the rows of a line table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/range_list.h"

namespace prof::symbols {

struct LineRow {
  std::uint64_t file = ~std::uint64_t{0};  // index in the table's files; no file has this one
  std::uint32_t line = 0;
  friend bool operator==(const LineRow&, const LineRow&) = default;
};

// Code that one row covers.
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  LineRow row;
};

struct LineProgram {
  std::span<const std::byte> bytes;
  std::uint8_t instruction_bytes = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;                   // not 0
  std::span<const std::uint8_t> operand_counts;  // of standard opcodes, from 1 on

  // The row that covers each address (ascending). Stops at the first malformed instruction.
  [[nodiscard]] std::vector<LineRow> Run(std::span<const std::uint64_t> addresses) const;
  // The rows of all code in `wanted` (ascending, disjoint): ascending, disjoint, neighbours with
  // one row merged. For each address the row is that of Run().
  [[nodiscard]] std::vector<RowRange> RunRanges(const std::vector<CodeRange>& wanted) const;
};

}  // namespace prof::symbols
