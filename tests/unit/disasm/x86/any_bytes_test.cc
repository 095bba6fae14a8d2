// Bytes that are no code.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "../objdump_listing.h"
#include "disasm/x86/zydis_library.h"
#include "support/run_process.h"
#include "support/temp_dir.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm {
namespace {

std::vector<std::byte> RandomBytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::unique_ptr<Disassembler> Make(Architecture architecture, Syntax syntax = Syntax::kAtt) {
  auto disassembler = Disassembler::Create(architecture, {.syntax = syntax});
  return disassembler.has_value() ? std::move(*disassembler) : nullptr;
}

std::vector<Instruction> DecodeBytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return *Make(Architecture::kX86_64)->Decode(bytes, model::FileAddr{0x1000});
}

TEST(AnyBytes, AreCoveredWithoutGaps) {
  for (const Architecture architecture : {Architecture::kX86_64, Architecture::kX86_32}) {
    for (const Syntax syntax : {Syntax::kAtt, Syntax::kIntel}) {
      const std::vector<std::byte> bytes = RandomBytes(100'000, 7);
      const auto decoded = Make(architecture, syntax)->Decode(bytes, model::FileAddr{0xfff0});
      ASSERT_TRUE(decoded.has_value());
      std::uint64_t next = 0xfff0;
      for (const Instruction& instruction : *decoded) {
        ASSERT_EQ(instruction.address.value, next);
        ASSERT_GE(instruction.length, 1);
        ASSERT_LE(instruction.length, 15);
        ASSERT_FALSE(instruction.text.empty());
        next += instruction.length;
      }
      EXPECT_EQ(next, 0xfff0 + bytes.size());
    }
  }
}

TEST(AnyBytes, OfNoLengthAreNoInstructions) { EXPECT_TRUE(DecodeBytes({}).empty()); }

TEST(AnyBytes, ThatEndInsideAnInstructionAreShownAsBytes) {
  const std::vector<Instruction> decoded = DecodeBytes({0x48, 0x8b, 0x05});
  ASSERT_EQ(decoded.size(), 3U);
  EXPECT_EQ(decoded[0].text, "rex.W");
  EXPECT_EQ(decoded[1].text, ".byte 0x8b");
  EXPECT_EQ(decoded[2].text, ".byte 0x5");
  EXPECT_FALSE(decoded[1].valid);
}

TEST(AnyBytes, ThatAreNoInstructionSayBad) {
  const std::vector<Instruction> decoded = DecodeBytes({0x06, 0x90});
  ASSERT_EQ(decoded.size(), 2U);
  EXPECT_EQ(decoded[0].text, "(bad)");
  EXPECT_FALSE(decoded[0].valid);
  EXPECT_EQ(decoded[0].length, 1);
  EXPECT_TRUE(decoded[1].valid);
}

TEST(AnyBytes, OfPrefixesAloneEndSomewhere) {
  const std::vector<std::byte> bytes(64, std::byte{0x66});
  const auto decoded = Make(Architecture::kX86_64)->Decode(bytes, model::FileAddr{0});
  EXPECT_EQ(decoded->front().length, 14);
}

TEST(AnyBytes, OfFwaitAloneAreOneInstructionEach) {
  const std::vector<std::byte> bytes(64, std::byte{0x9b});
  const auto decoded = Make(Architecture::kX86_64)->Decode(bytes, model::FileAddr{0});
  ASSERT_EQ(decoded->size(), 64U);
  EXPECT_EQ(decoded->front().text, "fwait");
}

// Of 24 random bytes each, what objdump finds at their beginning: what differs is instructions with
// prefixes that mean nothing to them, and those newer than Zydis.
TEST(AnyBytes, AreNearlyAlwaysReadAsObjdumpReadsThem) {
  constexpr std::size_t kSlot = 24;
  constexpr std::size_t kSlots = 20'000;
  const std::string version = test::RunProgram({"objdump", "--version"}).out;
  if (version.substr(0, version.find('\n')).find(" 2.40") == std::string::npos)
    GTEST_SKIP() << "no objdump 2.40";
  const std::vector<std::byte> bytes = RandomBytes(kSlot * kSlots, 11);
  const test::TempDir folder;
  const std::string path = folder.File("bytes");
  FILE* file = std::fopen(path.c_str(), "w");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  const auto blocks = ParseListing(test::RunProgram({"objdump", "-D", "-z", "-w", "-b", "binary",
                                                     "-m", "i386:x86-64", "--insn-width=15", path})
                                       .out);
  ASSERT_EQ(blocks.size(), 1U);
  const auto disassembler = Make(Architecture::kX86_64);
  std::size_t compared = 0;
  std::size_t differing = 0;
  for (const ListedInstruction& expected : blocks[0].instructions) {
    if (expected.address % kSlot != 0 || expected.address >= bytes.size()) continue;
    const auto slot = std::span(bytes).subspan(expected.address, kSlot);
    const auto decoded = disassembler->Decode(slot, model::FileAddr{expected.address});
    ++compared;
    if (decoded->front().length != expected.length) ++differing;
  }
  EXPECT_GT(compared, kSlots / 4);
  EXPECT_LT(differing, compared / 500) << "of " << compared;
}

TEST(ZydisLibrary, SaysWhichPackageIsMissing) {
  const auto library = x86::LoadZydisLibrary("libZydis-is-not-here.so");
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(library.error().hint.find("apt-get install libzydis"), std::string::npos);
}

TEST(ZydisLibrary, IsRefusedWhenItIsAnother) {
  const auto library = x86::LoadZydisLibrary("libc.so.6");
  ASSERT_FALSE(library.has_value());
  EXPECT_NE(library.error().message.find("lacks functions"), std::string::npos);
}

}  // namespace
}  // namespace prof::disasm
