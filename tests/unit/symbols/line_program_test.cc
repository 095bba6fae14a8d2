// Line programs, instruction by instruction.
#include "symbols/dwarf/line_program.h"

#include <gtest/gtest.h>

#include <initializer_list>
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

}  // namespace
}  // namespace prof::symbols
