// The fast walk over hand-made rules and stacks.
#include "unwind/walk/walker.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "unit/unwind/eh_frame_builder.h"
#include "unwind/walk/guess.h"

namespace prof::unwind::walk {
namespace {

using model::StackEnd;

constexpr std::uint64_t kCode = 0x400000;  // runtime; the file says 0x1000
constexpr std::uint64_t kFile = 0x1000;
constexpr std::uint64_t kStack = 0x7ffe0000;

// CFA = rsp + 8 throughout.
const EhFrameBuilder::Program kLeaf = {};
const EhFrameBuilder::Program kNoUnwindInfo = {0xff};

// A module of functions of 0x100 bytes each, in the order of their programs.
class MadeCode final : public CodeMap {
 public:
  explicit MadeCode(std::initializer_list<EhFrameBuilder::Program> functions) {
    builder_.Cie();
    for (const auto& program : functions) {
      if (program != kNoUnwindInfo) builder_.Fde(kFile + size_, 0x100, program);
      size_ += 0x100;
    }
    code_.resize(size_);
    cfi_ = builder_.Cfi();
  }
  bool Locate(std::uint64_t address, CodeRegion& region) override {
    if (address < kCode || address >= kCode + size_) return false;
    region = CodeRegion{};
    region.start = kCode;
    region.end = kCode + size_;
    region.bias = kCode - kFile;
    region.module = 0;
    region.cfi = &cfi_;
    region.code = code_;
    return true;
  }
  void Put(std::uint64_t address, std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) code_[address++ - kCode] = std::byte{byte};
  }

 private:
  EhFrameBuilder builder_;
  ModuleCfi cfi_;
  std::vector<std::byte> code_;
  std::uint64_t size_ = 0;
};

struct Walked {
  WalkResult result;
  std::vector<std::uint64_t> callers;
};

// The thread is in function 0; every register holds its DWARF number but pc, sp and those given.
Walked WalkFrom(MadeCode& code, const std::vector<std::uint64_t>& stack,
                const std::vector<std::pair<std::size_t, std::uint64_t>>& given = {}) {
  Registers registers;
  for (std::size_t i = 0; i < 17; ++i) registers.value[i] = i;
  registers.value[16] = kCode + 0x10;
  registers.value[7] = kStack;
  for (const auto& [number, value] : given) registers.value[number] = value;
  registers.valid = 0x1ffff;
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

TEST(WalkStack, EndsWhereTheReturnAddressIsUndefined) {
  MadeCode code({kLeaf, {kUndefined, 16}});
  const Walked walked = WalkFrom(code, {ReturnTo(1), 1, 2});
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
  EXPECT_EQ(walked.callers, std::vector{ReturnTo(1)});
}

TEST(WalkStack, EndsAtAZeroReturnAddress) {
  MadeCode code({kLeaf});
  EXPECT_EQ(WalkFrom(code, {0}).result.end, StackEnd::kComplete);
  EXPECT_EQ(WalkFrom(code, {0}).result.frames, 1U);
}

TEST(WalkStack, ScratchRegisterOfALeafServesItsCaller) {
  MadeCode code({kLeaf, {kDefCfa, 0, 8}, {kUndefined, 16}});  // function 1: CFA = rax + 8
  const Walked walked = WalkFrom(code, {ReturnTo(1), 5, 5, ReturnTo(2)}, {{0, kStack + 24}});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)}));
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(WalkStack, PreservedRegisterOfACallerNeedsAllRegisters) {
  MadeCode code({kLeaf, {kDefCfa, 3, 8}});  // CFA = rbx + 8: function 0 may have saved rbx
  EXPECT_TRUE(
      WalkFrom(code, {ReturnTo(1), 5, 5, 0}, {{3, kStack + 24}}).result.needs_all_registers);
  MadeCode leaf({{kDefCfa, 3, 8}});
  const Walked walked = WalkFrom(leaf, {5, 5, 5, 0}, {{3, kStack + 24}});
  EXPECT_FALSE(walked.result.needs_all_registers);
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(WalkStack, SaveSlotBelowTheStackPointerMeansRestored) {
  // An epilogue after pop %rbp: rbp is said to be at CFA - 16 = rsp - 8.
  MadeCode code({{kOffset + 6, 2}, {kDefCfa, 6, 16}, {kUndefined, 16}});
  const Walked walked = WalkFrom(code, {ReturnTo(1), 5, 5, ReturnTo(2)}, {{6, kStack + 16}});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)}));
}

TEST(WalkStack, ReturnAddressInARegisterKeepsTheStackPointer) {
  MadeCode code({{kDefCfaOffset, 0, kRegister, 16, 5}, {kUndefined, 16}});  // vfork: in rdi
  const Walked walked = WalkFrom(code, {1, 2}, {{5, ReturnTo(1)}});
  EXPECT_EQ(walked.callers, std::vector{ReturnTo(1)});
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(WalkStack, SaysWhyItStopped) {
  MadeCode code({kLeaf, {kDefCfaOffset, 64}, {kDefCfa, 6, 16}});
  EXPECT_EQ(WalkFrom(code, {ReturnTo(1), 2}).result.end, StackEnd::kTruncated);
  EXPECT_EQ(WalkFrom(code, {0x1234, 2}).result.end, StackEnd::kBadReturn);
  // rbp points into nowhere, or below the frame: a loop if it were followed.
  EXPECT_EQ(WalkFrom(code, {ReturnTo(2), 2}).result.end, StackEnd::kUnreadable);
  EXPECT_EQ(WalkFrom(code, {ReturnTo(2), 2}, {{6, kStack - 16}}).result.end, StackEnd::kUnreadable);
  EXPECT_EQ(WalkFrom(code, {ReturnTo(0), ReturnTo(0), ReturnTo(0), ReturnTo(0), ReturnTo(0),
                            ReturnTo(0), ReturnTo(0), ReturnTo(0), ReturnTo(0)})
                .result.end,
            StackEnd::kMaxDepth);
}

// Function 1 is the trampoline of a handler, function 0; function 2 was interrupted at `sp`. The
// alternate stack is [kStack - 0x1000, + `alternate_size`).
Walked WalkFromHandler(std::uint64_t sp, std::uint64_t alternate_size,
                       std::vector<std::uint64_t> behind = {}) {
  MadeCode code({kLeaf, kNoUnwindInfo, kLeaf, {kUndefined, 16}});
  code.Put(ReturnTo(1), {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 5});  // rt_sigreturn
  std::vector<std::uint64_t> stack(1 + 24);
  stack[0] = ReturnTo(1);
  stack[1 + 2] = kStack - 0x1000;
  stack[1 + 4] = alternate_size;
  const auto put = [&stack](std::uint64_t number, std::uint64_t value) {
    stack[1 + SignalContextOffset(Arch::kX86_64, number) / 8] = value;
  };
  put(16, kCode + 0x210);
  put(7, sp);
  stack.insert(stack.end(), behind.begin(), behind.end());
  return WalkFrom(code, stack);
}

TEST(WalkStack, ListsWhatASignalOnAnAlternateStackInterrupted) {
  const std::vector<std::uint64_t> callers = {ReturnTo(1), kCode + 0x210};
  Walked walked = WalkFromHandler(kStack + 0x100000, 0x2000);
  EXPECT_EQ(walked.callers, callers);
  EXPECT_EQ(walked.result.end, StackEnd::kOtherStack);
  // Below, or far away: no need to know where the alternate stack is.
  for (const std::uint64_t sp : {kStack - 0x100000, std::uint64_t{0x7000'0000'0000}}) {
    walked = WalkFromHandler(sp, 0);
    EXPECT_EQ(walked.callers, callers);
    EXPECT_EQ(walked.result.end, StackEnd::kOtherStack);
  }
  // Without an alternate stack the copy just ends too early.
  EXPECT_EQ(WalkFromHandler(kStack + 0x1000, 0).result.end, StackEnd::kTruncated);
}

TEST(WalkStack, GoesOnWhereTheInterruptedStackWasCopiedToo) {
  const Walked walked = WalkFromHandler(kStack + 25 * 8, 0x1000 + 25 * 8, {ReturnTo(3)});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), kCode + 0x210, ReturnTo(3)}));
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
}

TEST(WalkStack, SaysSoWhenRulesLeadToAnotherStack) {
  MadeCode code({{kDefCfa, 6, 16}});  // as in __morestack of split stacks
  EXPECT_EQ(WalkFrom(code, {1, 2}, {{6, 0x7000'0000'0000}}).result.end, StackEnd::kOtherStack);
  EXPECT_EQ(WalkFrom(code, {1, 2}, {{6, kStack - 0x100000}}).result.end, StackEnd::kOtherStack);
  // Data in rbp, or what it was some calls ago.
  EXPECT_EQ(WalkFrom(code, {1, 2}, {{6, 0x7000'0000'0003}}).result.end, StackEnd::kUnreadable);
  EXPECT_EQ(WalkFrom(code, {1, 2}, {{6, kStack - 0x1000}}).result.end, StackEnd::kUnreadable);
}

TEST(WalkStack, FindsAnOlderCopyOfAStackPointerSavedInTheRedZone) {
  // CFA = *(rsp - 8) + 8, as in the hash functions of OpenSSL.
  MadeCode code({{kDefCfaExpression, 5, 0x77, 0x78, 0x06, 0x23, 8}, {kUndefined, 16}});
  code.Put(ReturnTo(1) - 5, {0xe8});
  const std::vector<std::uint64_t> stack = {kStack + 8, kStack + 48, 3, kStack + 40,
                                            5,          ReturnTo(1), 6};
  const Walked walked = WalkFrom(code, stack);
  EXPECT_EQ(walked.callers, std::vector{ReturnTo(1)});
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
  EXPECT_EQ(WalkFrom(code, {1, 2, 3, 4}).result.end, StackEnd::kUnreadable);
}

TEST(WalkStack, ReadsTheEpilogueOfCodeWithoutUnwindInformation) {
  MadeCode code({kLeaf, kNoUnwindInfo, {kUndefined, 16}});
  code.Put(ReturnTo(1), {0x48, 0x83, 0xc4, 8, 0x5d, 0x41, 0x5c, 0xc3});  // add 8; pop rbp, r12; ret
  code.Put(ReturnTo(2) - 5, {0xe8});
  const Walked walked = WalkFrom(code, {ReturnTo(1), 1, 2, 3, ReturnTo(2)});
  EXPECT_EQ(walked.callers, (std::vector{ReturnTo(1), ReturnTo(2)}));
  EXPECT_EQ(walked.result.end, StackEnd::kComplete);
  EXPECT_EQ(WalkFrom(code, {ReturnTo(1), 1, 2, 3, 4}).result.end, StackEnd::kNoUnwindInfo);
}

}  // namespace
}  // namespace prof::unwind::walk
