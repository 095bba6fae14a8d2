// Without text, decoding says the same of every instruction.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {
namespace {

TEST(WithoutTextTest, EverythingElseIsTheSame) {
  DisassemblerOptions options;
  auto spelled = Disassembler::Create(Architecture::kX86_64, options);
  if (!spelled) GTEST_SKIP() << spelled.error().message;
  options.text = false;
  auto plain = Disassembler::Create(Architecture::kX86_64, options);
  ASSERT_TRUE(plain);
  std::mt19937 random(7);
  std::vector<std::byte> code(100000);
  for (std::byte& byte : code) byte = static_cast<std::byte>(random());
  const auto with = (*spelled)->Decode(code, {0x1000}).value();
  const auto without = (*plain)->Decode(code, {0x1000}).value();
  ASSERT_EQ(with.size(), without.size());
  std::size_t spared = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    ASSERT_EQ(with[i].address, without[i].address);
    ASSERT_EQ(with[i].length, without[i].length);
    ASSERT_EQ(with[i].valid, without[i].valid);
    ASSERT_EQ(with[i].flow, without[i].flow);
    ASSERT_EQ(with[i].target, without[i].target);
    ASSERT_EQ(with[i].referred, without[i].referred);
    spared += without[i].text.empty() ? 1 : 0;
  }
  EXPECT_GT(spared, with.size() / 2);
}

}  // namespace
}  // namespace prof::disasm
