// Source lines of one compilation unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/dwarf/line_program.h"
#include "symbols/dwarf/range_list.h"
#include "symbols/dwarf/unit.h"

#include "prof/base/byte_reader.h"

namespace prof::symbols {

struct SourceLine {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
};

// The sections that line tables live in.
struct LineSections {
  std::span<const std::byte> line;
  std::span<const std::byte> line_strings;  // .debug_line_str
  std::span<const std::byte> strings;       // .debug_str
};

// The line table of a unit, DWARF 2 to 5. The program runs once and leaves only the rows that are
// wanted.
class LineTable {
 public:
  // Of a unit that is not split (its skeleton has the table).
  explicit LineTable(const Unit& unit);
  // `addresses` ascending; one line for each, unknown where no row covers it.
  [[nodiscard]] std::vector<SourceLine> Find(std::span<const std::uint64_t> addresses) const;
  // The rows of all code in `wanted` (ascending, disjoint), as LineProgram::RunRanges() has them;
  // their files by FileName().
  [[nodiscard]] std::vector<RowRange> FindRanges(const std::vector<CodeRange>& wanted) const;
  // Whether the unit names a table that could not be read.
  [[nodiscard]] bool malformed() const { return malformed_; }
  // By index, as DW_AT_call_file has it.
  [[nodiscard]] std::string FileName(std::uint64_t index) const;

 private:
  struct File {
    std::string_view name;
    std::uint64_t folder = 0;
  };

  [[nodiscard]] LineProgram Program() const;
  // False for a header that makes no sense; then the table stays empty.
  bool ReadHeader(ByteReader reader, std::string_view unit_folder);
  void ReadNamesBefore5(ByteReader& reader, std::string_view unit_folder);
  void ReadNames5(ByteReader& reader, bool folders);

  LineSections sections_;
  std::string unit_folder_;  // what relative paths start from; empty when that is relative too
  std::uint16_t version_ = 0;
  bool offsets_64_bit_ = false;
  std::uint8_t instruction_bytes_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::vector<std::uint8_t> operand_counts_;  // of standard opcodes, from 1 on
  std::vector<std::string_view> folders_;
  std::vector<File> files_;  // from 0 on in DWARF 5, else from 1 on
  std::span<const std::byte> program_;
  bool malformed_ = false;
};

// Where an inlined subroutine is called; the file is one of its unit's table.
LineRow CallPosition(const Entry& inlined);

}  // namespace prof::symbols
