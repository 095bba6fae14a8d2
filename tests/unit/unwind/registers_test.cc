// Registers as perf delivers them arrive under their DWARF numbers.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {
namespace {

TEST(Registers, PerfOrderBecomesDwarfOrder) {
  // One word per bit, whose value is the number of the bit.
  const std::uint64_t mask = RequiredUserRegisters(Arch::kX86_64);
  std::vector<std::uint64_t> words;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    if ((mask >> bit & 1) != 0) words.push_back(bit);
  }
  ASSERT_EQ(words.size(), 17U);
  const Registers registers = RegistersFromPerf(mask, words, Arch::kX86_64);
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
  const Registers registers = RegistersFromPerf(1U << 8 | 1U << 9 | 1U << 16, words, Arch::kX86_64);
  EXPECT_EQ(registers.valid, 1U << 16 | 1U << 8);
  EXPECT_EQ(registers.pc().value, 100U);
  EXPECT_EQ(registers.value[8], 102U);
}

TEST(Registers, PerfAndDwarfOrderAreTheSameOnAarch64) {
  const std::uint64_t mask = RequiredUserRegisters(Arch::kAarch64);
  EXPECT_EQ(mask, 0x1ffffffffU);
  std::vector<std::uint64_t> words;
  for (std::uint64_t bit = 0; bit < 33; ++bit) words.push_back(100 + bit);
  const Registers registers = RegistersFromPerf(mask, words, Arch::kAarch64);
  EXPECT_EQ(registers.valid, mask);
  EXPECT_EQ(registers.value[29], 129U);
  EXPECT_EQ(registers.sp().value, 131U);
  EXPECT_EQ(registers.pc().value, 132U);
  EXPECT_TRUE(registers.HasPcAndSp());
  EXPECT_FALSE(RegistersFromPerf(mask >> 1, words, Arch::kAarch64).HasPcAndSp());
  // VG (46) of newer kernels is skipped.
  const auto with_vg = RegistersFromPerf(mask | std::uint64_t{1} << 46, words, Arch::kAarch64);
  EXPECT_EQ(with_vg.valid, mask);
}

TEST(Registers, ArchitectureFollowsFromTheMachineOfAnElfFile) {
  EXPECT_EQ(ArchOfMachine(62), Arch::kX86_64);
  EXPECT_EQ(ArchOfMachine(183), Arch::kAarch64);
  EXPECT_EQ(ArchOfMachine(3), std::nullopt);  // EM_386
}

TEST(Registers, MissingWordsAndUnknownBitsAreHarmless) {
  const std::vector<std::uint64_t> words(64, 7);
  EXPECT_EQ(RegistersFromPerf(0, words).valid, 0U);
  EXPECT_EQ(std::popcount(RegistersFromPerf(~std::uint64_t{0}, std::span(words).first(2)).valid),
            2);
  RegistersFromPerf(~std::uint64_t{0}, words);
}

}  // namespace
}  // namespace prof::unwind
