// Callers of code without unwind information.
#include "unwind/walk/guess.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "unwind/walk/rule_cache.h"
#include "unwind/walk/walker.h"

namespace prof::unwind::walk {
namespace {

using model::FrameKind;
using model::StackEnd;

constexpr std::uint64_t kCode = 0x400000;
constexpr std::uint64_t kStack = 0x7ffe0000;

// One module of given code bytes and no unwind information.
class BareCode final : public CodeMap {
 public:
  explicit BareCode(std::vector<unsigned char> code) : code_(std::move(code)) {}
  bool Locate(std::uint64_t address, CodeRegion& region) override {
    if (address < kCode || address >= kCode + 0x1000) return false;
    region = CodeRegion{};
    region.start = kCode;
    region.end = kCode + 0x1000;
    region.module = 3;
    region.bias = kCode - 0x1000;
    region.entry = 0x1f00;
    region.code = std::as_bytes(std::span(code_));
    return true;
  }

 private:
  std::vector<unsigned char> code_;
};

class Walked {
 public:
  Walked(BareCode code, std::uint64_t pc, std::uint64_t fp, std::vector<std::uint64_t> stack) {
    std::array<RuleCache::Slot, 16> slots{};
    RuleCache cache(slots);
    Registers registers;
    registers.value[16] = pc;
    registers.value[7] = kStack;
    registers.value[6] = fp;
    registers.valid = 0x1ffff;
    frames.resize(10);
    const auto bytes = std::as_bytes(std::span(stack));
    const auto result = WalkStack(registers, {kStack, bytes}, code, cache, frames);
    frames.resize(result.frames);
    end = result.end;
  }

  std::vector<UnwoundFrame> frames;
  StackEnd end = StackEnd::kComplete;
};

TEST(Guess, RecognisesEveryFormOfCall) {
  const std::vector<std::vector<unsigned char>> calls = {
      {0xe8, 1, 2, 3, 4},              // call rel32
      {0xff, 0xd0},                    // call *%rax
      {0x41, 0xff, 0xd3},              // call *%r11
      {0xff, 0x10},                    // call *(%rax)
      {0xff, 0x14, 0x24},              // call *(%rsp)
      {0xff, 0x50, 0x08},              // call *8(%rax)
      {0xff, 0x54, 0x24, 0x08},        // call *8(%rsp)
      {0xff, 0x15, 1, 2, 3, 4},        // call *x(%rip)
      {0xff, 0x90, 1, 2, 3, 4},        // call *x(%rax)
      {0xff, 0x94, 0xc0, 1, 2, 3, 4},  // call *x(%rax,%rax,8)
      {0xff, 0x14, 0xc5, 1, 2, 3, 4},  // call *x(,%rax,8)
  };
  for (const auto& call : calls) {
    std::vector<unsigned char> code(16, 0x90);
    code.insert(code.end(), call.begin(), call.end());
    BareCode map(code);
    RegionMemo regions(map);
    EXPECT_TRUE(FollowsCall(Arch::kX86_64, regions, kCode + code.size()));
    EXPECT_FALSE(FollowsCall(Arch::kX86_64, regions, kCode + 16));
  }
}

TEST(Guess, OtherInstructionsAreNoCalls) {
  const std::vector<std::vector<unsigned char>> others = {
      {0xe9, 1, 2, 3, 4}, {0xff, 0xe0}, {0xff, 0x25, 1, 2, 3, 4}, {0xff, 0xc0}, {0xc3}};
  for (const auto& other : others) {
    std::vector<unsigned char> code(16, 0x90);
    code.insert(code.end(), other.begin(), other.end());
    BareCode map(code);
    RegionMemo regions(map);
    EXPECT_FALSE(FollowsCall(Arch::kX86_64, regions, kCode + code.size()));
  }
  BareCode map({});
  RegionMemo regions(map);
  EXPECT_FALSE(FollowsCall(Arch::kX86_64, regions, 0));
  EXPECT_FALSE(FollowsCall(Arch::kX86_64, regions, kCode));
  EXPECT_FALSE(FollowsCall(Arch::kX86_64, regions, kCode + 5));
}

TEST(Guess, FollowsFramePointersToTheEnd) {
  // Two frames: rbp -> {rbp, return address}, the last return address is 0.
  const Walked walked(BareCode({}), kCode + 5, kStack + 8,
                      {99, kStack + 24, kCode + 0x20, kStack + 40, kCode + 0x30, 0, 0});
  EXPECT_EQ(walked.end, StackEnd::kComplete);
  ASSERT_EQ(walked.frames.size(), 3U);
  EXPECT_EQ(walked.frames[1].address.value, kCode + 0x20);
  EXPECT_EQ(walked.frames[1].kind, FrameKind::kReturn);
  EXPECT_EQ(walked.frames[1].file_address.value, 0x1020U);
  EXPECT_EQ(walked.frames[2].address.value, kCode + 0x30);
}

TEST(Guess, RefusesFramePointersThatLeadNowhere) {
  for (const std::uint64_t fp : {std::uint64_t{0}, kStack - 16, kStack + 12, kStack + 4096}) {
    const Walked walked(BareCode({}), kCode + 5, fp, {1, 2, 3, 4});
    EXPECT_EQ(walked.end, StackEnd::kNoUnwindInfo);
    EXPECT_EQ(walked.frames.size(), 1U);
  }
  const Walked outside(BareCode({}), kCode + 5, kStack, {kStack + 16, 0xdead});
  EXPECT_EQ(outside.end, StackEnd::kNoUnwindInfo);
}

TEST(Guess, TakesTheTopOfTheStackBehindACall) {
  std::vector<unsigned char> code(0x20, 0x90);
  code[0x10] = 0xe8;
  const Walked walked(BareCode(code), kCode + 5, 0, {kCode + 0x15, 1});
  ASSERT_EQ(walked.frames.size(), 2U);
  EXPECT_EQ(walked.frames[1].address.value, kCode + 0x15);
  EXPECT_EQ(walked.end, StackEnd::kNoUnwindInfo);
}

TEST(Guess, WhereTheProgramBeginsTheStackIsComplete) {
  const Walked walked(BareCode({}), kCode + 0xf10, 0, {1, 2, 3});
  EXPECT_EQ(walked.end, StackEnd::kComplete);
}

TEST(Guess, LeavesASignalHandlerThroughItsTrampoline) {
  // A handler returns to the trampoline at 0x100, where musl has no unwind information.
  std::vector<unsigned char> code(0x200, 0x90);
  const unsigned char trampoline[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  std::memcpy(code.data() + 0x100, trampoline, sizeof(trampoline));
  std::vector<std::uint64_t> stack(64, 0);
  stack[0] = kStack + 32;  // rbp of the handler, see below
  stack[1] = kCode + 0x100;
  const std::uint64_t context = 2;        // the ucontext_t begins at the third word
  stack[context + 15] = 0;                // rbp
  stack[context + 20] = kStack + 8 * 40;  // rsp
  stack[context + 21] = kCode + 0x180;    // rip
  const Walked walked(BareCode(code), kCode + 5, kStack, stack);
  ASSERT_EQ(walked.frames.size(), 3U);
  EXPECT_EQ(walked.frames[1].address.value, kCode + 0x100);
  EXPECT_EQ(walked.frames[1].kind, FrameKind::kInstruction);
  EXPECT_EQ(walked.frames[2].address.value, kCode + 0x180);
  EXPECT_EQ(walked.frames[2].kind, FrameKind::kInstruction);
}

}  // namespace
}  // namespace prof::unwind::walk
