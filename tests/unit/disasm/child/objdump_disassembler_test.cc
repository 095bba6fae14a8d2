#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "disasm/child/aarch64_flow.h"
#include "disasm/child/child_process.h"
#include "disasm/child/objdump_text.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm {
namespace {

constexpr model::FileAddr kBegin{0x400};

std::vector<std::byte> Words(std::initializer_list<std::uint32_t> words) {
  std::vector<std::byte> bytes;
  for (const std::uint32_t word : words) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(word >> (8 * i)));
  }
  return bytes;
}

Instruction FlowOf(std::uint32_t word) {
  Instruction instruction{.address = kBegin};
  SetAarch64Flow(word, instruction);
  return instruction;
}

TEST(Aarch64Flow, KnowsBranchesAndTheirTargets) {
  EXPECT_EQ(FlowOf(0x17ffffff).flow, Flow::kJump);  // b 3fc
  EXPECT_EQ(FlowOf(0x17ffffff).target, model::FileAddr{0x3fc});
  EXPECT_EQ(FlowOf(0x94000004).flow, Flow::kCall);  // bl 410
  EXPECT_EQ(FlowOf(0x94000004).target, model::FileAddr{0x410});
  EXPECT_EQ(FlowOf(0x54000041).flow, Flow::kConditionalJump);  // b.ne 408
  EXPECT_EQ(FlowOf(0x54000041).target, model::FileAddr{0x408});
  EXPECT_EQ(FlowOf(0xb4ffffe1).target, model::FileAddr{0x3fc});  // cbz x1, 3fc
  EXPECT_EQ(FlowOf(0x3707ffe0).target, model::FileAddr{0x3fc});  // tbnz w0, #0, 3fc
  EXPECT_EQ(FlowOf(0x3707ffe0).flow, Flow::kConditionalJump);
}

TEST(Aarch64Flow, KnowsIndirectBranchesReturnsAndStops) {
  EXPECT_EQ(FlowOf(0xd61f0220).flow, Flow::kJump);    // br x17
  EXPECT_EQ(FlowOf(0xd63f0000).flow, Flow::kCall);    // blr x0
  EXPECT_EQ(FlowOf(0xd63f0ba0).flow, Flow::kNext);    // unallocated
  EXPECT_EQ(FlowOf(0xd73f0821).flow, Flow::kCall);    // blraa x1, x1
  EXPECT_EQ(FlowOf(0xd65f03c0).flow, Flow::kReturn);  // ret
  EXPECT_EQ(FlowOf(0xd65f0bff).flow, Flow::kReturn);  // retaa
  EXPECT_EQ(FlowOf(0x00000001).flow, Flow::kStop);    // udf #1
  EXPECT_EQ(FlowOf(0xd4200000).flow, Flow::kStop);    // brk #0
  EXPECT_EQ(FlowOf(0xd503201f).flow, Flow::kNext);    // nop
}

TEST(Aarch64Flow, KnowsLoadsRelativeToTheProgramCounter) {
  EXPECT_EQ(FlowOf(0x58000080).referred, model::FileAddr{0x410});  // ldr x0, 410
  EXPECT_EQ(FlowOf(0xf9400000).referred, std::nullopt);            // ldr x0, [x0]
}

TEST(ObjdumpText, LosesSymbolsAndComments) {
  EXPECT_EQ(CleanObjdumpText("b.ne\t40c <f+0xc>  // b.any"), "b.ne   40c");
  EXPECT_EQ(CleanObjdumpText("mov\tx0, #0x5                   \t// #5"), "mov    x0, #0x5");
  EXPECT_EQ(CleanObjdumpText("ret"), "ret");
}

TEST(ObjdumpText, MeasuresInstructionsByTheirDistance) {
  const auto decoded = ParseObjdump(
      "\nx: file format elf64\n\n0000000000000400 <.text>:\n"
      "     400:\tnop\n     402:\tfoo\tr1\n     406:\t.short\t0xffff\n",
      kBegin, kBegin + 8);
  ASSERT_EQ(decoded.size(), 3U);
  EXPECT_EQ(decoded[0].length, 2);
  EXPECT_EQ(decoded[1].length, 4);
  EXPECT_EQ(decoded[1].text, "foo    r1");
  EXPECT_FALSE(decoded[2].valid);
  EXPECT_EQ(decoded[2].text, "(bad)");
}

TEST(ObjdumpText, IgnoresLinesThatMakeNoSense) {
  const auto decoded = ParseObjdump(
      "400:\tnop\n400:\tnop\n3f0:\tnop\nffffffffffffffff:\tnop\n402:\nzz:\tnop\n:\n\t\n", kBegin,
      kBegin + 4);
  ASSERT_EQ(decoded.size(), 1U);
  EXPECT_EQ(decoded[0].length, 4);
}

TEST(ChildProcess, IsGivenTheFileAndRead) {
  const auto output = RunChild({"/bin/sh", "-c", "read x; echo out$x; echo err >&2; exit 3"}, 0);
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->out, "out\n");  // nothing on its standard input
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->status, 3 << 8);
}

TEST(ChildProcess, IsKilledWhenItTakesTooLong) {
  const auto output = RunChild({"/bin/sleep", "60"}, 0, {.timeout_ms = 20});
  ASSERT_FALSE(output.has_value());
  EXPECT_NE(output.error().message.find("/bin/sleep: no answer"), std::string::npos);
}

TEST(ChildProcess, IsKilledWhenItPrintsWithoutEnd) {
  const auto output = RunChild({"/usr/bin/yes"}, 0, {.output_bytes = 100'000});
  ASSERT_FALSE(output.has_value());
  EXPECT_NE(output.error().message.find("prints without end"), std::string::npos);
}

TEST(ChildProcess, SaysWhatCannotBeStarted) {
  EXPECT_FALSE(RunChild({"/nowhere/objdump"}, 0).has_value());
  EXPECT_EQ(FindProgram("no-such-program-anywhere"), "");
  EXPECT_NE(FindProgram("sh"), "");
}

TEST(ObjdumpDisassembler, SaysWhatToInstallWhenThereIsNone) {
  const auto disassembler =
      Disassembler::Create(Architecture::kAarch64, {.objdump = "/nowhere/objdump"});
  ASSERT_FALSE(disassembler.has_value());
  EXPECT_EQ(disassembler.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(disassembler.error().message.find("cannot disassemble AArch64"), std::string::npos);
  EXPECT_NE(disassembler.error().hint.find("apt-get install llvm"), std::string::npos);
}

TEST(ObjdumpDisassembler, SaysWhenNoneKnowsTheMachine) {
  const auto disassembler =
      Disassembler::Create(Architecture::kOther, {.machine = {.number = 0x7777}});
  ASSERT_FALSE(disassembler.has_value());
  EXPECT_EQ(disassembler.error().kind, ErrorKind::kNotFound);
}

// With every program of this machine that knows the architecture.
class WithProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(WithProgram, DisassemblesAarch64) {
  if (FindProgram(GetParam()).empty()) GTEST_SKIP() << "no " << GetParam();
  auto disassembler = Disassembler::Create(Architecture::kAarch64, {.objdump = GetParam()});
  ASSERT_TRUE(disassembler.has_value()) << disassembler.error().message;
  const auto decoded = (*disassembler)
                           ->Decode(Words({0x94000004, 0xd65f03c0, 0x54000041, 0xffffffff,
                                           0xb4ffffe1, 0x00000000, 0x0000}),
                                    kBegin);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  ASSERT_EQ(decoded->size(), 7U);
  EXPECT_EQ((*decoded)[0].text, "bl     410");
  EXPECT_EQ((*decoded)[0].target, model::FileAddr{0x410});
  EXPECT_EQ((*decoded)[1].text, "ret");
  EXPECT_EQ((*decoded)[1].flow, Flow::kReturn);
  EXPECT_EQ((*decoded)[2].text, "b.ne   410");
  EXPECT_FALSE((*decoded)[3].valid);
  EXPECT_EQ((*decoded)[3].length, 4);
  EXPECT_EQ((*decoded)[4].text, "cbz    x1, 40c");
  EXPECT_EQ((*decoded)[5].text, "udf    #0");
  EXPECT_EQ((*decoded)[6].address, kBegin + 24);
}

INSTANTIATE_TEST_SUITE_P(Programs, WithProgram,
                         ::testing::Values("aarch64-linux-gnu-objdump", "llvm-objdump-14",
                                           "llvm-objdump-19", "llvm-objdump"));

TEST(ObjdumpDisassembler, TakesOtherMachinesFromTheirElfNumber) {
  auto disassembler = Disassembler::Create(Architecture::kOther, {.machine = {.number = EM_RISCV}});
  if (!disassembler.has_value()) GTEST_SKIP() << disassembler.error().message;
  const auto decoded = (*disassembler)->Decode(Words({0x00008067}), kBegin);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(decoded->front().text, "ret");
}

}  // namespace
}  // namespace prof::disasm
