// Rules for aarch64 compiled from hand-made .eh_frame sections, and walks with them.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "unit/unwind/eh_frame_builder.h"
#include "unwind/walk/rule_compiler.h"
#include "unwind/walk/walker.h"

namespace prof::unwind::walk {
namespace {

using model::FrameKind;
using model::StackEnd;
using Program = EhFrameBuilder::Program;

constexpr std::uint8_t kOffsetExtended = 0x05;
constexpr std::uint8_t kNegateRaState = 0x2d;
constexpr std::uint8_t kX29 = 29;
constexpr std::uint8_t kX30 = 30;
constexpr std::uint8_t kStackPointer = 31;

constexpr std::uint64_t kStart = 0x1000;

Rule RuleOf(const Program& program, std::uint64_t skip = 0, const char* augmentation = "zR") {
  EhFrameBuilder builder(Arch::kAarch64);
  builder.Cie(augmentation);
  builder.Fde(kStart, 0x100, program);
  return CompileRule(builder.Cfi(), kStart + skip);
}

TEST(Aarch64Rule, FollowsAPrologueRowByRow) {
  // stp x29, x30, [sp, #-32]!; mov x29, sp
  const Program program = {kAdvance1, kDefCfaOffset,   32,  kOffset + kX29, 4, kOffset + kX30, 3,
                           kAdvance1, kDefCfaRegister, kX29};
  const Rule leaf = RuleOf(program, 0);
  EXPECT_EQ(leaf.cfa, CfaForm::kSp);
  EXPECT_EQ(leaf.offset, 0);
  EXPECT_EQ(leaf.return_register, kX30);
  EXPECT_EQ(leaf.fp, FpForm::kSame);
  const Rule saved = RuleOf(program, 1);
  EXPECT_EQ(saved.cfa, CfaForm::kSp);
  EXPECT_EQ(saved.offset, 32);
  EXPECT_EQ(saved.return_register, kOnStack);
  EXPECT_EQ(saved.return_offset, -3);  // in words of 8 bytes
  EXPECT_EQ(saved.fp, FpForm::kAtCfa);
  EXPECT_EQ(saved.fp_offset, -4);
  EXPECT_EQ(RuleOf(program, 2).cfa, CfaForm::kFp);
}

TEST(Aarch64Rule, ReachesSaveSlotsBelowLargeLocals) {
  // 80,000 bytes of locals above the frame record: 10,000 words.
  const Rule rule = RuleOf(
      {kDefCfaOffset, 0x80, 0xf1, 0x04, kOffset + kX29, 0x90, 0x4e, kOffset + kX30, 0x8f, 0x4e});
  EXPECT_EQ(rule.offset, 80'000);
  EXPECT_EQ(rule.fp_offset, -10'000);
  EXPECT_EQ(rule.return_offset, -9'999);
  // Further than a rule can say.
  EXPECT_EQ(RuleOf({kOffset + kX30, 0x80, 0x80, 0x02}).return_offset, -32'768);
  EXPECT_EQ(RuleOf({kOffset + kX30, 0x81, 0x80, 0x02}).cfa, CfaForm::kSlow);
}

TEST(Aarch64Rule, SigningTheReturnAddressChangesNothingElse) {
  const Rule rule = RuleOf({kNegateRaState, kOffset + kX30, 1}, 0, "zRB");
  EXPECT_EQ(rule.return_offset, -1);
  EXPECT_EQ(rule.cfa, CfaForm::kSp);
  // On x86-64 the instruction does not exist.
  EhFrameBuilder x86;
  x86.Cie();
  x86.Fde(kStart, 0x100, {kNegateRaState});
  EXPECT_EQ(CompileRule(x86.Cfi(), kStart).cfa, CfaForm::kSlow);
}

TEST(Aarch64Rule, KnowsTheOtherForms) {
  EXPECT_EQ(RuleOf({kUndefined, kX30}).cfa, CfaForm::kEnd);
  EXPECT_EQ(RuleOf({kUndefined, kX29}).fp, FpForm::kUnknown);
  const Rule other = RuleOf({kDefCfa, 9, 16, kRegister, kX30, 15});
  EXPECT_EQ(other.cfa, CfaForm::kRegister);
  EXPECT_EQ(other.cfa_register, 9);
  EXPECT_EQ(other.return_register, 15);
  // CFA = *(x29 - 8), x29 at *x29: a realigned stack.
  const Rule deref =
      RuleOf({kDefCfaExpression, 3, 0x8d, 0x78, 0x06, kExpression, kX29, 2, 0x8d, 0});
  EXPECT_EQ(deref.cfa, CfaForm::kDerefFp);
  EXPECT_EQ(deref.fp, FpForm::kAtFp);
  // .cfi_offset of d8 (72) and restored rows do not matter.
  EXPECT_EQ(RuleOf({kOffsetExtended, 72, 2}).return_register, kX30);
  EXPECT_EQ(RuleOf({kOffset + kX30, 1, kAdvance1, kRestore + kX30}, 1).return_register, kX30);
}

TEST(Aarch64Rule, ScratchRegistersAreThoseCallsMayChange) {
  EXPECT_FALSE(RuleOf({kOffset + 19, 2, kOffset + 28, 3, kOffset + kX30, 1}).scratch_changes);
  EXPECT_TRUE(RuleOf({kOffset + 18, 2}).scratch_changes);
}

TEST(Aarch64Rule, LeavesTheRestToTheSlowPath) {
  EXPECT_EQ(RuleOf({kDefCfaExpression, 2, 0x70, 0}).cfa, CfaForm::kSlow);  // x0 + 0
  EXPECT_EQ(RuleOf({kDefCfa, 46, 0}).cfa, CfaForm::kSlow);                 // VG
  EXPECT_EQ(RuleOf({kValOffset, kX30, 2}).cfa, CfaForm::kSlow);
  // The PLT expression of x86-64 means nothing here.
  EXPECT_EQ(
      RuleOf({kDefCfaExpression, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22})
          .cfa,
      CfaForm::kSlow);
}

TEST(Aarch64Rule, KnowsTheSignalFrameOfOlderKernels) {
  EXPECT_EQ(RuleOf({kDefCfa, kX29, 0, kOffset + kX29, 0, 0x11, kX30, 0x7f}, 0, "zRS").cfa,
            CfaForm::kSignal);
  EXPECT_EQ(RuleOf({kDefCfaOffset, 16}, 0, "zRS").cfa, CfaForm::kSlow);
}

constexpr std::uint64_t kCode = 0x400000;  // runtime; the file says kStart
constexpr std::uint64_t kStack = 0xffffe0000000;

// Functions of 0x100 bytes each, in the order of their programs.
class MadeCode final : public CodeMap {
 public:
  explicit MadeCode(std::initializer_list<Program> functions) : builder_(Arch::kAarch64) {
    builder_.Cie();
    for (const auto& program : functions) {
      builder_.Fde(kStart + size_, 0x100, program);
      size_ += 0x100;
    }
    cfi_ = builder_.Cfi();
  }
  bool Locate(std::uint64_t address, CodeRegion& region) override {
    if (address < kCode || address >= kCode + size_) return false;
    region = CodeRegion{};
    region.start = kCode;
    region.end = kCode + size_;
    region.bias = kCode - kStart;
    region.module = 0;
    region.cfi = &cfi_;
    return true;
  }

 private:
  EhFrameBuilder builder_;
  ModuleCfi cfi_;
  std::uint64_t size_ = 0;
};

struct Walked {
  WalkResult result;
  std::vector<std::uint64_t> callers;
};

// The thread is in function 0; every register holds its number but pc, sp and those given.
Walked WalkFrom(MadeCode& code, const std::vector<std::uint64_t>& stack,
                const std::vector<std::pair<std::size_t, std::uint64_t>>& given = {}) {
  Registers registers;
  registers.arch = Arch::kAarch64;
  for (std::size_t i = 0; i < 31; ++i) registers.value[i] = i;
  registers.value[kStackPointer] = kStack;
  registers.value[32] = kCode + 0x10;
  for (const auto& [number, value] : given) registers.value[number] = value;
  registers.valid = RequiredUserRegisters(Arch::kAarch64);
  std::array<RuleCache::Slot, 16> slots{};
  RuleCache cache(slots);
  std::vector<UnwoundFrame> frames(8);
  Walked walked;
  walked.result =
      WalkStack(registers, {kStack, std::as_bytes(std::span(stack))}, code, cache, frames);
  for (std::size_t i = 1; i < walked.result.frames; ++i) {
    walked.callers.push_back(frames[i].address.value);
  }
  return walked;
}

std::uint64_t ReturnTo(std::uint64_t function) { return kCode + function * 0x100 + 0x20; }

const Program kLeaf = {};
// x29 and x30 at the bottom of 32 bytes.
const Program kFrame = {kDefCfaOffset, 32, kOffset + kX29, 4, kOffset + kX30, 3};
const Program kOutermost = {kUndefined, kX30};

TEST(Aarch64Walk, LeafReturnsThroughTheLinkRegister) {
  MadeCode code({kLeaf, kFrame, kOutermost});
  const Walked walked = WalkFrom(code, {5, ReturnTo(2), 5, 5}, {{kX30, ReturnTo(1)}});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)}));
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(Aarch64Walk, LinkRegisterOfACallerIsGone) {
  // Function 1 says that x30 still has its return address, after it has called function 0.
  MadeCode code({kLeaf, kLeaf});
  const Walked walked = WalkFrom(code, {1, 2}, {{kX30, ReturnTo(1)}});
  EXPECT_EQ(walked.callers, std::vector{ReturnTo(1)});
  EXPECT_EQ(walked.result.end, StackEnd::kUnreadable);
}

TEST(Aarch64Walk, SignaturesAreStrippedWhereverTheyBegin) {
  MadeCode code({kLeaf, kFrame, kOutermost});
  // The lowest signature bit, by the size of user addresses.
  for (const unsigned bits : {52, 48, 47, 42, 39, 36}) {
    const std::uint64_t signature = (std::uint64_t{0x55} << bits) & ~(std::uint64_t{1} << 55);
    const Walked walked =
        WalkFrom(code, {5, ReturnTo(2) | signature, 5, 5}, {{kX30, ReturnTo(1) | signature}});
    EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)})) << bits;
  }
  // An unsigned address outside every mapping is no code of a narrower one.
  EXPECT_EQ(WalkFrom(code, {1, 2}, {{kX30, 0x12345678}}).result.end, StackEnd::kBadReturn);
}

TEST(Aarch64Walk, FramePointerAndOtherRegistersHoldFrames) {
  MadeCode code(
      {{kDefCfa, 9, 16, kOffset + kX30, 1}, {kDefCfa, kX29, 16, kOffset + kX30, 1}, kOutermost});
  const std::uint64_t fp = kStack + 16;
  const Walked walked = WalkFrom(code, {5, ReturnTo(1), 5, ReturnTo(2)}, {{9, kStack}, {kX29, fp}});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)}));
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(Aarch64Walk, WhatItCannotEvaluateItCountsAsUnreadable) {
  MadeCode code({kLeaf, {kDefCfaExpression, 2, 0x70, 0}});
  const Walked walked = WalkFrom(code, {1, 2}, {{kX30, ReturnTo(1)}});
  EXPECT_TRUE(walked.result.needs_all_registers);
  EXPECT_EQ(walked.result.end, StackEnd::kUnreadable);
  EXPECT_EQ(walked.callers, std::vector{ReturnTo(1)});
}

TEST(Aarch64Walk, SaysWhyItStopped) {
  MadeCode code({kFrame, kOutermost});
  EXPECT_EQ(WalkFrom(code, {1}).result.end, StackEnd::kTruncated);
  EXPECT_EQ(WalkFrom(code, {1, 0x77777000, 2, 3}).result.end, StackEnd::kBadReturn);
  EXPECT_EQ(WalkFrom(code, {1, 0, 2, 3}).result.end, StackEnd::kComplete);
  MadeCode loop({kFrame});
  const std::vector<std::uint64_t> stack(64, ReturnTo(0));
  EXPECT_EQ(WalkFrom(loop, stack).result.end, StackEnd::kMaxDepth);
}

}  // namespace
}  // namespace prof::unwind::walk
