// Registers as perf delivers them arrive under their DWARF numbers.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {
namespace {

#if defined(__x86_64__)
TEST(Registers, PerfOrderBecomesDwarfOrder) {
  // One word per bit, whose value is the number of the bit.
  const std::uint64_t mask = RequiredUserRegisters();
  std::vector<std::uint64_t> words;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    if ((mask >> bit & 1) != 0) words.push_back(bit);
  }
  ASSERT_EQ(words.size(), 17U);
  const Registers registers = RegistersFromPerf(mask, words);
  EXPECT_EQ(registers.valid, 0x1ffffU);
  // PERF_REG_X86_*: AX 0, BX 1, CX 2, DX 3, SI 4, DI 5, BP 6, SP 7, IP 8, R8 16.
  EXPECT_EQ(registers.value[0], 0U);
  EXPECT_EQ(registers.value[1], 3U);
  EXPECT_EQ(registers.value[2], 2U);
  EXPECT_EQ(registers.value[3], 1U);
  EXPECT_EQ(registers.value[6], 6U);
  EXPECT_EQ(registers.value[8], 16U);
  EXPECT_EQ(registers.value[15], 23U);
  EXPECT_EQ(registers.pc().value, 8U);
  EXPECT_EQ(registers.sp().value, 7U);
}

TEST(Registers, OthersInTheMaskAreSkipped) {
  // IP, FLAGS (9), R8 (16).
  const std::vector<std::uint64_t> words = {100, 101, 102};
  const Registers registers = RegistersFromPerf(1U << 8 | 1U << 9 | 1U << 16, words);
  EXPECT_EQ(registers.valid, 1U << 16 | 1U << 8);
  EXPECT_EQ(registers.pc().value, 100U);
  EXPECT_EQ(registers.value[8], 102U);
}
#endif

TEST(Registers, MissingWordsAndUnknownBitsAreHarmless) {
  const std::vector<std::uint64_t> words(64, 7);
  EXPECT_EQ(RegistersFromPerf(0, words).valid, 0U);
  EXPECT_EQ(std::popcount(RegistersFromPerf(~std::uint64_t{0}, std::span(words).first(2)).valid),
            2);
  RegistersFromPerf(~std::uint64_t{0}, words);
}

}  // namespace
}  // namespace prof::unwind
