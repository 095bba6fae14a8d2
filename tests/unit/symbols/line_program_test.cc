// Line programs, instruction by instruction.
#include "symbols/dwarf/line_program.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

namespace prof::symbols {
namespace {

// As GCC writes it for x86-64: 12 standard opcodes, line_base -5, line_range 14.
constexpr std::uint8_t kOperands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

// Extended: set the address to 0x1000.
const std::vector<int> kAt1000 = {0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0};
const std::vector<int> kEnd = {0, 1, 1};

std::vector<int> operator+(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// "file:line" for each address.
std::vector<std::string> RowsOf(const std::vector<int>& instructions,
                                std::initializer_list<std::uint64_t> addresses) {
  std::vector<std::byte> bytes;
  for (const int byte : instructions) bytes.push_back(static_cast<std::byte>(byte));
  const LineProgram program{
      .bytes = bytes, .line_base = -5, .line_range = 14, .operand_counts = kOperands};
  std::vector<std::string> rows;
  for (const LineRow& row : program.Run(std::vector<std::uint64_t>(addresses))) {
    rows.push_back(row.file == ~std::uint64_t{0}
                       ? ""
                       : std::to_string(row.file) + ":" + std::to_string(row.line));
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(LineProgramTest, RowsReachUpToTheNextOne) {
  // line += 9, copy, pc += 4 and line += 1 (special), pc += 8, end.
  const auto program = kAt1000 + std::vector<int>{3, 9, 1, 13 + 6 + 4 * 14, 2, 8} + kEnd;
  EXPECT_EQ(RowsOf(program, {0xfff, 0x1000, 0x1003, 0x1004, 0x100b, 0x100c}),
            (Rows{"", "1:10", "1:10", "1:11", "1:11", ""}));
}

TEST(LineProgramTest, OfSeveralRowsAtOneAddressTheLastCounts) {
  const auto program = kAt1000 + std::vector<int>{1, 3, 4, 4, 2, 1, 2, 4} + kEnd;
  EXPECT_EQ(RowsOf(program, {0x1000}), (Rows{"2:5"}));
}

TEST(LineProgramTest, LinesGoBackwards) {
  const auto program = kAt1000 + std::vector<int>{3, 9, 3, 0x7f, 1, 2, 4} + kEnd;
  EXPECT_EQ(RowsOf(program, {0x1000}), (Rows{"1:9"}));
}

TEST(LineProgramTest, SequencesMayComeInAnyOrder) {
  const std::vector<int> low = {0, 9, 2, 0x00, 0x08, 0, 0, 0, 0, 0, 0, 1, 2, 4};
  const auto program = kAt1000 + std::vector<int>{3, 1, 1, 2, 4} + kEnd + low + kEnd;
  EXPECT_EQ(RowsOf(program, {0x800, 0x900, 0x1000}), (Rows{"1:1", "", "1:2"}));
}

TEST(LineProgramTest, CodeTheLinkerRemovedIsIgnored) {
  const std::vector<int> removed = {0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 64};
  EXPECT_EQ(RowsOf(removed + kEnd, {0x10}), (Rows{""}));
}

TEST(LineProgramTest, UnknownInstructionsAreSkipped) {
  const auto program = kAt1000 + std::vector<int>{0, 3, 0x80, 1, 2, 12, 5, 5, 7, 6, 1, 2, 4} + kEnd;
  EXPECT_EQ(RowsOf(program, {0x1000}), (Rows{"1:1"}));
}

TEST(LineProgramTest, CutProgramsGiveWhatTheyHad) {
  const auto whole = kAt1000 + std::vector<int>{3, 9, 1, 13 + 6 + 4 * 14, 2, 8} + kEnd;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto rows =
        RowsOf({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}, {0x1000});
    EXPECT_TRUE(rows[0].empty() || rows[0] == "1:10");
  }
}

// "begin-end file:line" of each row in the wanted ranges.
Rows RangesOf(const std::vector<int>& instructions, const std::vector<CodeRange>& wanted) {
  std::vector<std::byte> bytes;
  for (const int byte : instructions) bytes.push_back(static_cast<std::byte>(byte));
  const LineProgram program{
      .bytes = bytes, .line_base = -5, .line_range = 14, .operand_counts = kOperands};
  Rows rows;
  for (const RowRange& range : program.RunRanges(wanted)) {
    std::ostringstream text;
    text << std::hex << range.begin << "-" << range.end << std::dec << " " << range.row.file << ":"
         << range.row.line;
    rows.push_back(text.str());
  }
  return rows;
}

TEST(LineRangesTest, AreCutToWhatIsWanted) {
  const auto program = kAt1000 + std::vector<int>{3, 9, 1, 13 + 6 + 4 * 14, 2, 8} + kEnd;
  EXPECT_EQ(RangesOf(program, {{0x800, 0x2000}}), (Rows{"1000-1004 1:10", "1004-100c 1:11"}));
  EXPECT_EQ(RangesOf(program, {{0x1002, 0x1005}, {0x1008, 0x1009}}),
            (Rows{"1002-1004 1:10", "1004-1005 1:11", "1008-1009 1:11"}));
  EXPECT_TRUE(RangesOf(program, {{0x100c, 0x1100}}).empty());
}

TEST(LineRangesTest, SequencesComeOutInOrderOfTheirAddresses) {
  const std::vector<int> low = {0, 9, 2, 0x00, 0x08, 0, 0, 0, 0, 0, 0, 1, 2, 4};
  const auto program = kAt1000 + std::vector<int>{3, 1, 1, 2, 4} + kEnd + low + kEnd;
  EXPECT_EQ(RangesOf(program, {{0x1, 0x2000}}), (Rows{"800-804 1:1", "1000-1004 1:2"}));
}

TEST(LineRangesTest, OfOverlappingSequencesTheLastCounts) {
  // 0x1000 to 0x1010 on line 2, then a part of it, and what lies before it, on line 1.
  const std::vector<int> inner = {0, 9, 2, 0x04, 0x10, 0, 0, 0, 0, 0, 0, 1, 2, 4};
  const std::vector<int> low = {0, 9, 2, 0xfc, 0x0f, 0, 0, 0, 0, 0, 0, 1, 2, 6};
  const auto program =
      kAt1000 + std::vector<int>{3, 1, 1, 2, 16} + kEnd + inner + kEnd + low + kEnd;
  EXPECT_EQ(
      RangesOf(kAt1000 + std::vector<int>{3, 1, 1, 2, 16} + kEnd + inner + kEnd, {{0x1, 0x2000}}),
      (Rows{"1000-1004 1:2", "1004-1008 1:1", "1008-1010 1:2"}));
  const Rows ranges = RangesOf(program, {{0x1, 0x2000}});
  EXPECT_EQ(ranges, (Rows{"ffc-1002 1:1", "1002-1004 1:2", "1004-1008 1:1", "1008-1010 1:2"}));
  EXPECT_EQ(RowsOf(program, {0xffc, 0x1001, 0x1003, 0x1005, 0x100f}),
            (Rows{"1:1", "1:1", "1:2", "1:1", "1:2"}));
}

TEST(LineRangesTest, NeighboursWithOneLineAreOne) {
  const auto program = kAt1000 + std::vector<int>{1, 2, 4, 1, 2, 4} + kEnd;
  EXPECT_EQ(RangesOf(program, {{0x1, 0x2000}}), (Rows{"1000-1008 1:1"}));
}

}  // namespace
}  // namespace prof::symbols
