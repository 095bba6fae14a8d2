// Rules compiled from hand-made, real and damaged .eh_frame sections.
#include "unwind/walk/rule_compiler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "unit/unwind/eh_frame_builder.h"
#include "unit/unwind/engines.h"
#include "unit/unwind/stack_scenes.h"

namespace prof::unwind {
namespace {

using walk::CfaForm;
using walk::FpForm;
using walk::Rule;

constexpr std::uint64_t kStart = 0x1000;

// The rule at kStart + skip of a function with this program.
Rule RuleOf(const EhFrameBuilder::Program& program, std::uint64_t skip = 0) {
  EhFrameBuilder builder;
  builder.Cie();
  builder.Fde(kStart, 0x100, program);
  return CompileRule(builder.Cfi(), kStart + skip);
}

TEST(RuleCompiler, FollowsAPrologueRowByRow) {
  // push %rbp; mov %rsp,%rbp
  const EhFrameBuilder::Program program = {kAdvance1, kDefCfaOffset,   16, kOffset + 6, 2,
                                           kAdvance1, kDefCfaRegister, 6};
  EXPECT_EQ(RuleOf(program, 0), (Rule{.offset = 8, .cfa = CfaForm::kSp, .cfa_register = 7}));
  EXPECT_EQ(RuleOf(program, 1), (Rule{.offset = 16,
                                      .fp_offset = -16,
                                      .cfa = CfaForm::kSp,
                                      .fp = FpForm::kAtCfa,
                                      .cfa_register = 7}));
  const Rule body = RuleOf(program, 2);
  EXPECT_EQ(body, (Rule{.offset = 16,
                        .fp_offset = -16,
                        .cfa = CfaForm::kFp,
                        .fp = FpForm::kAtCfa,
                        .cfa_register = 6}));
  EXPECT_EQ(RuleOf(program, 0xff), body);
  EXPECT_EQ(RuleOf(program, 0x100).cfa, CfaForm::kNone);
}

TEST(RuleCompiler, RestoresRememberedRowsAndInitialRules) {
  const EhFrameBuilder::Program program = {kDefCfaOffset, 32,        kOffset + 6,   4,
                                           kRemember,     kAdvance1, kDefCfaOffset, 8,
                                           kRestore + 6,  kAdvance1, kRestoreState};
  EXPECT_EQ(RuleOf(program, 0).offset, 32);
  EXPECT_EQ(RuleOf(program, 1).offset, 8);
  EXPECT_EQ(RuleOf(program, 1).fp, FpForm::kSame);
  EXPECT_EQ(RuleOf(program, 2).offset, 32);
  EXPECT_EQ(RuleOf(program, 2).fp_offset, -32);
}

TEST(RuleCompiler, KnowsTheFormsOfRealCode) {
  const Rule plt =
      RuleOf({kDefCfaExpression, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});
  EXPECT_EQ(plt, (Rule{.offset = 8, .addend = 11, .cfa = CfaForm::kPlt}));
  // A realigned stack: CFA = *(rbp - 8), rbp at *rbp.
  const Rule realigned =
      RuleOf({kDefCfaExpression, 3, 0x76, 0x78, 0x06, kExpression, 6, 2, 0x76, 0});
  EXPECT_EQ(realigned, (Rule{.offset = -8, .cfa = CfaForm::kDerefFp, .fp = FpForm::kAtFp}));
  const Rule saved_sp = RuleOf({kDefCfaExpression, 5, 0x77, 40, 0x06, 0x23, 8});
  EXPECT_EQ(saved_sp, (Rule{.offset = 40, .addend = 8, .cfa = CfaForm::kDerefSp}));
  const Rule r10 = RuleOf({kDefCfa, 10, 0});
  EXPECT_EQ(r10, (Rule{.offset = 0, .cfa = CfaForm::kRegister, .cfa_register = 10}));
  const Rule vfork = RuleOf({kDefCfaOffset, 0, kRegister, 16, 5});
  EXPECT_EQ(vfork.return_register, 5);
  EXPECT_EQ(vfork.cfa, CfaForm::kSp);
  EXPECT_EQ(RuleOf({kUndefined, 16}).cfa, CfaForm::kEnd);
  EXPECT_EQ(RuleOf({kUndefined, 6}).fp, FpForm::kUnknown);
}

TEST(RuleCompiler, NoticesRulesForScratchRegisters) {
  EXPECT_FALSE(RuleOf({kOffset + 3, 2, kOffset + 12, 3}).scratch_changes);  // rbx, r12
  EXPECT_TRUE(RuleOf({kOffset + 10, 2}).scratch_changes);
  EXPECT_TRUE(RuleOf({kUndefined, 0}).scratch_changes);
}

TEST(RuleCompiler, LeavesTheRestToTheSlowPath) {
  EXPECT_EQ(RuleOf({kDefCfaExpression, 2, 0x70, 0}).cfa, CfaForm::kSlow);  // rax + 0
  EXPECT_EQ(RuleOf({kOffset + 16, 2}).cfa, CfaForm::kSlow);                // return at CFA - 16
  EXPECT_EQ(RuleOf({kValOffset, 6, 2}).cfa, CfaForm::kSlow);               // rbp = CFA - 16
  EXPECT_EQ(RuleOf({kValOffset, 7, 2}).cfa, CfaForm::kSlow);               // rsp = CFA - 16
  EXPECT_EQ(RuleOf({kValOffset, 7, 0}).cfa, CfaForm::kSp);                 // rsp = CFA
  EXPECT_EQ(RuleOf({0x3f}).cfa, CfaForm::kSlow);                           // no instruction
  EXPECT_EQ(RuleOf({kRestoreState}).cfa, CfaForm::kSlow);                  // nothing remembered
  EXPECT_EQ(RuleOf(EhFrameBuilder::Program(20, kRemember)).cfa, CfaForm::kSlow);
  EXPECT_EQ(RuleOf({kDefCfaExpression, 100, 0x77}).cfa, CfaForm::kSlow);  // cut short
}

TEST(RuleCompiler, KnowsTheKernelsSignalFrame) {
  EhFrameBuilder builder;
  builder.Cie("zRS");
  builder.Fde(kStart, 0x10,
              {kDefCfaExpression, 4, 0x77, 0xa0, 0x01, 0x06, kExpression, 6, 3, 0x77, 0xf8, 0x00,
               kExpression, 16, 3, 0x77, 0xa8, 0x01});
  builder.Fde(kStart + 0x10, 0x10, {kDefCfaOffset, 16});
  EXPECT_EQ(CompileRule(builder.Cfi(), kStart).cfa, CfaForm::kSignal);
  EXPECT_EQ(CompileRule(builder.Cfi(), kStart + 0x10).cfa, CfaForm::kSlow);
}

TEST(RuleCompiler, FindsTheRightFunctionAmongMany) {
  EhFrameBuilder builder;
  builder.Cie();
  for (std::uint8_t i = 0; i < 50; ++i) {
    builder.Fde(kStart + i * std::uint64_t{0x20}, 0x10,
                {kDefCfaOffset, static_cast<std::uint8_t>(8 + i)});
  }
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t start = kStart + static_cast<std::uint64_t>(i) * 0x20;
    EXPECT_EQ(CompileRule(builder.Cfi(), start).offset, 8 + i);
    EXPECT_EQ(CompileRule(builder.Cfi(), start + 0xf).offset, 8 + i);
    EXPECT_EQ(CompileRule(builder.Cfi(), start + 0x10).cfa, CfaForm::kNone);
  }
  EXPECT_EQ(CompileRule(builder.Cfi(), kStart - 1).cfa, CfaForm::kNone);
  EXPECT_EQ(walk::CompileRule({}, kStart).cfa, CfaForm::kNone);
}

// An ELF image whose search table is unusable, over a copy of `image`'s file.
std::vector<std::byte> WithoutSearchTable(std::span<const std::byte> file, const ElfImage& image) {
  std::vector<std::byte> copy(file.begin(), file.end());
  const auto at = image.eh_frame_hdr().bytes.data() - file.data();
  copy[static_cast<std::size_t>(at) + 3] = std::byte{0xff};  // table encoding: omitted
  return copy;
}

TEST(RuleCompiler, OwnIndexGivesTheRulesOfTheSearchTable) {
  const auto file = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.has_value());
  const auto image = ElfImage::FromMemory(file->bytes(), "self");
  ASSERT_TRUE(image.has_value());
  const auto copy = WithoutSearchTable(file->bytes(), **image);
  const auto bare = ElfImage::FromMemory(copy, "without table");
  ASSERT_TRUE(bare.has_value());
  ModuleCfiTable table;
  const walk::ModuleCfi* with = table.For(0, **image);
  const walk::ModuleCfi* without = table.For(1, **bare);
  ASSERT_FALSE(with->table.empty());
  ASSERT_FALSE(without->table.empty());
  ASSERT_NE(with->table_address, without->table_address);
  std::size_t slow = 0;
  for (const ElfImage::Segment& segment : (*image)->segments()) {
    if (!segment.executable) continue;
    for (std::uint64_t skip = 0; skip < segment.file_size; skip += 3) {
      const std::uint64_t address = segment.address.value + skip;
      const Rule rule = CompileRule(*with, address);
      ASSERT_EQ(rule, CompileRule(*without, address)) << std::hex << address;
      slow += rule.cfa == CfaForm::kSlow ? 1 : 0;
    }
  }
  EXPECT_EQ(slow, 0U);
}

TEST(RuleCompiler, RandomDamageIsHarmless) {
  const auto file = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.has_value());
  const auto image = ElfImage::FromMemory(file->bytes(), "self");
  ASSERT_TRUE(image.has_value());
  const std::uint64_t start = (*image)->entry().value;
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const auto frame = (*image)->eh_frame().bytes.first(20'000);
    std::vector<std::byte> damaged(frame.begin(), frame.end());
    for (int i = 0; i < 400; ++i) damaged[random() % damaged.size()] = std::byte(random() % 256);
    damaged.resize(damaged.size() - random() % 2000);
    const auto header = (*image)->eh_frame_hdr();
    std::vector<std::byte> rows(header.bytes.begin() + 12, header.bytes.end());
    if (round % 2 == 0) rows[random() % rows.size()] = std::byte(random() % 256);
    walk::ModuleCfi cfi;
    cfi.frame_address = (*image)->eh_frame().address.value;
    cfi.frame = damaged;
    cfi.table_base = header.address.value;
    cfi.table = rows;
    for (std::uint64_t i = 0; i < 2000; ++i) CompileRule(cfi, start + i * 7);
  }
}

// Both engines over the test program's own image with damaged unwind information.
TEST(Engines, SurviveDamagedUnwindInformation) {
  Capture capture;
  Recurse(10, [&] { InsideSort([&] { capture.Take(); }); });
  const SelfProcess self;
  const auto file = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.has_value());
  const model::Mapping own = *self.space().Find(capture.registers.pc());
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::byte> copy(file->bytes().begin(), file->bytes().end());
    const auto clean = ElfImage::FromMemory(copy, "clean");
    ASSERT_TRUE(clean.has_value());
    for (const auto part : {(*clean)->eh_frame().bytes, (*clean)->eh_frame_hdr().bytes}) {
      const auto at = static_cast<std::size_t>(part.data() - copy.data());
      for (std::size_t i = 0; i < part.size() / 20; ++i) {
        copy[at + random() % part.size()] = std::byte(random() % 256);
      }
    }
    TestImages images;
    auto damaged = ElfImage::FromMemory(copy, "damaged");
    ASSERT_TRUE(damaged.has_value());
    model::AddressSpace space;
    model::Mapping mapping = own;
    mapping.module = images.Add(std::move(*damaged));
    space.Map(mapping);
    StackUnwinder unwinder(images);
    std::vector<UnwoundFrame> frames;
    unwinder.Unwind(capture.input(), space, 1000, frames);
    EXPECT_GE(frames.size(), 1U);
    ModuleCfiTable modules;
    LibunwindEngine libunwind(images, modules);
    SpaceCode code(space, images, modules);
    libunwind.Unwind(capture.input(), space, code, 1000, frames);
    EXPECT_GE(frames.size(), 1U);
  }
}

}  // namespace
}  // namespace prof::unwind
