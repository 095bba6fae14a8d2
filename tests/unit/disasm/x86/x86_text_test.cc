// Texts and lengths of single instructions, as tests/data/disasm has them from objdump.
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {
namespace {

struct Row {
  std::vector<std::byte> bytes;
  std::string att;
  std::string intel;
};

std::vector<std::byte> FromHex(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    unsigned value = 0;
    std::from_chars(hex.data(), hex.data() + 2, value, 16);
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::vector<Row> ReadRows(const std::string& name) {
  std::ifstream file(std::string(PROF_TEST_DATA "/disasm/") + name);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t first = line.find(" | ");
    const std::size_t second = line.find(" | ", first + 3);
    rows.push_back({FromHex(std::string_view(line).substr(0, first)),
                    line.substr(first + 3, second - first - 3), line.substr(second + 3)});
  }
  return rows;
}

void CheckRows(const std::string& name, Architecture architecture) {
  const std::vector<Row> rows = ReadRows(name);
  ASSERT_GT(rows.size(), 30U);
  for (const Syntax syntax : {Syntax::kAtt, Syntax::kIntel}) {
    auto disassembler = Disassembler::Create(architecture, {.syntax = syntax});
    ASSERT_TRUE(disassembler.has_value()) << disassembler.error().message;
    for (const Row& row : rows) {
      const auto decoded = (*disassembler)->Decode(row.bytes, model::FileAddr{0x1000});
      ASSERT_TRUE(decoded.has_value());
      EXPECT_EQ(decoded->size(), 1U) << row.att;
      EXPECT_EQ(decoded->front().text, syntax == Syntax::kAtt ? row.att : row.intel);
      EXPECT_TRUE(decoded->front().valid) << row.att;
    }
  }
}

Instruction Decode(std::string_view hex) {
  auto disassembler = Disassembler::Create(Architecture::kX86_64, {});
  return (*disassembler)->Decode(FromHex(hex), model::FileAddr{0x1000})->front();
}

TEST(X86Text, IsThatOfObjdumpIn64Bits) { CheckRows("x86_64.txt", Architecture::kX86_64); }

TEST(X86Text, IsThatOfObjdumpIn32Bits) { CheckRows("x86_32.txt", Architecture::kX86_32); }

TEST(X86Flow, OfJumpsWithTheirTargets) {
  EXPECT_EQ(Decode("e9fbffffff").flow, Flow::kJump);
  EXPECT_EQ(Decode("e9fbffffff").target, model::FileAddr{0x1000});
  EXPECT_EQ(Decode("7410").flow, Flow::kConditionalJump);
  EXPECT_EQ(Decode("7410").target, model::FileAddr{0x1012});
  EXPECT_EQ(Decode("e2fe").flow, Flow::kConditionalJump);
  EXPECT_EQ(Decode("e800010000").flow, Flow::kCall);
  EXPECT_EQ(Decode("e800010000").target, model::FileAddr{0x1105});
  EXPECT_EQ(Decode("ffe0").flow, Flow::kJump);
  EXPECT_EQ(Decode("ffe0").target, std::nullopt);
  EXPECT_EQ(Decode("ff1510000000").flow, Flow::kCall);
}

TEST(X86Flow, OfReturnsAndStops) {
  EXPECT_EQ(Decode("c3").flow, Flow::kReturn);
  EXPECT_EQ(Decode("48cf").flow, Flow::kReturn);
  EXPECT_EQ(Decode("f4").flow, Flow::kStop);
  EXPECT_EQ(Decode("0f0b").flow, Flow::kStop);
  EXPECT_EQ(Decode("cc").flow, Flow::kStop);
  EXPECT_EQ(Decode("90").flow, Flow::kNext);
  EXPECT_EQ(Decode("0f05").flow, Flow::kNext);
}

TEST(X86Flow, RefersToWhatTheInstructionPointerReaches) {
  EXPECT_EQ(Decode("488b0510000000").referred, model::FileAddr{0x1017});
  EXPECT_EQ(Decode("ff15f0ffffff").referred, model::FileAddr{0xff6});
  EXPECT_EQ(Decode("488b4510").referred, std::nullopt);
  EXPECT_EQ(Decode("e800010000").referred, std::nullopt);
}

TEST(X86Text, WrapsTargetsAtTheEndOfTheAddressSpace) {
  auto disassembler = Disassembler::Create(Architecture::kX86_32, {});
  const auto decoded = (*disassembler)->Decode(FromHex("eb10"), model::FileAddr{0xfffffff8});
  EXPECT_EQ(decoded->front().target, model::FileAddr{0xa});
  EXPECT_EQ(decoded->front().text, "jmp    a");
}

}  // namespace
}  // namespace prof::disasm
