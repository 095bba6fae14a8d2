// Callers of aarch64 code without unwind information.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "unwind/walk/aarch64_code.h"
#include "unwind/walk/guess.h"
#include "unwind/walk/walker.h"

namespace prof::unwind::walk {
namespace {

using model::FrameKind;
using model::StackEnd;

constexpr std::uint64_t kCode = 0x400000;
constexpr std::uint64_t kStack = 0xffffe0000000;
constexpr std::uint32_t kNop = 0xd503201f;
constexpr std::uint32_t kRet = 0xd65f03c0;
constexpr std::uint32_t kStpFpLr = 0xa9be7bfd;  // stp x29, x30, [sp, #-32]!
constexpr std::uint32_t kMovFpSp = 0x910003fd;  // mov x29, sp

std::uint32_t BlFrom(std::uint64_t at, std::uint64_t to) {
  return 0x94000000 | (static_cast<std::uint32_t>((to - at) / 4) & 0x3ffffff);
}

class BareCode final : public CodeMap {
 public:
  BareCode() : code_(0x400, kNop) {}
  // By offset from kCode.
  void Put(std::uint64_t offset, const std::vector<std::uint32_t>& instructions) {
    std::copy(instructions.begin(), instructions.end(),
              code_.begin() + static_cast<std::ptrdiff_t>(offset / 4));
  }
  bool Locate(std::uint64_t address, CodeRegion& region) override {
    if (address < kCode || address >= kCode + 0x1000) return false;
    region = CodeRegion{};
    region.start = kCode;
    region.end = kCode + 0x1000;
    region.module = 3;
    region.code = std::as_bytes(std::span(code_));
    return true;
  }
  [[nodiscard]] CodeRegion Region() {
    CodeRegion region;
    Locate(kCode, region);
    return region;
  }

 private:
  std::vector<std::uint32_t> code_;
};

struct Walked {
  Walked(BareCode& code, std::uint64_t pc, std::uint64_t fp, std::uint64_t link,
         const std::vector<std::uint64_t>& stack) {
    std::array<RuleCache::Slot, 16> slots{};
    RuleCache cache(slots);
    Registers registers;
    registers.arch = Arch::kAarch64;
    registers.value[29] = fp;
    registers.value[30] = link;
    registers.value[31] = kStack;
    registers.value[32] = pc;
    registers.valid = RequiredUserRegisters(Arch::kAarch64);
    frames.resize(10);
    const auto bytes = std::as_bytes(std::span(stack));
    const auto result = WalkStack(registers, {kStack, bytes}, code, cache, frames);
    frames.resize(result.frames);
    end = result.end;
  }
  [[nodiscard]] std::vector<std::uint64_t> Callers() const {
    std::vector<std::uint64_t> callers;
    for (std::size_t i = 1; i < frames.size(); ++i) callers.push_back(frames[i].address.value);
    return callers;
  }

  std::vector<UnwoundFrame> frames;
  StackEnd end = StackEnd::kComplete;
};

TEST(Aarch64Guess, RecognisesCalls) {
  const std::uint64_t at = kCode + 0x40;
  for (const std::uint32_t call :
       {BlFrom(at, kCode), BlFrom(at, kCode + 0x100), 0xd63f0000U /* blr x0 */,
        0xd63f03c0U /* blr x30 */, 0xd73f0a30U /* blraa x17, x16 */, 0xd63f081fU /* blraaz x0 */}) {
    BareCode code;
    code.Put(0x40, {call});
    RegionMemo regions(code);
    EXPECT_TRUE(FollowsCall(Arch::kAarch64, regions, at + 4)) << std::hex << call;
  }
  for (const std::uint32_t other : {kNop, kRet, 0x14000010U /* b */, 0xd61f0200U /* br x16 */}) {
    BareCode code;
    code.Put(0x40, {other});
    RegionMemo regions(code);
    EXPECT_FALSE(FollowsCall(Arch::kAarch64, regions, at + 4)) << std::hex << other;
  }
  BareCode code;
  code.Put(0x40, {BlFrom(at, kCode)});
  RegionMemo regions(code);
  EXPECT_FALSE(FollowsCall(Arch::kAarch64, regions, at + 6));  // not an instruction
  EXPECT_FALSE(FollowsCall(Arch::kAarch64, regions, 0));
}

TEST(Aarch64Guess, FollowsFramePointersToTheEnd) {
  BareCode code;
  const std::uint64_t signature = std::uint64_t{0x2a} << 48;
  const Walked walked(code, kCode + 8, kStack + 16, 0,
                      {9, 9, kStack + 48, (kCode + 0x20) | signature, 9, 9, 0, kCode + 0x30, 0, 0});
  EXPECT_EQ(walked.Callers(), (std::vector<std::uint64_t>{kCode + 0x20, kCode + 0x30}));
  EXPECT_EQ(walked.end, StackEnd::kNoUnwindInfo);
}

TEST(Aarch64Guess, RefusesFramePointersThatLeadNowhere) {
  BareCode code;
  for (const std::uint64_t fp : {std::uint64_t{0}, kStack - 16, kStack + 4, kStack + 4096}) {
    EXPECT_TRUE(Walked(code, kCode + 8, fp, 0, {1, 2, 3, 4}).Callers().empty());
  }
}

TEST(Aarch64Guess, LeafHasItsCallerInTheLinkRegister) {
  BareCode code;
  code.Put(0x40, {BlFrom(kCode + 0x40, kCode + 0x100)});
  const std::vector<std::uint64_t> stack = {0, kCode + 0x20, 0, 0};
  const std::vector<std::uint64_t> both = {kCode + 0x44, kCode + 0x20};
  const std::vector<std::uint64_t> chain = {kCode + 0x20};
  const auto callers = [&](std::uint64_t pc) {
    return Walked(code, pc, kStack, kCode + 0x44, stack).Callers();
  };
  EXPECT_EQ(callers(kCode + 0x110), both);
  // Another function, or one that has set its frame pointer: the link register is left over.
  code.Put(0x108, {kRet});
  EXPECT_EQ(callers(kCode + 0x110), chain);
  EXPECT_EQ(callers(kCode + 0x108), both);  // at the return
  code.Put(0x104, {kStpFpLr, kMovFpSp});
  EXPECT_EQ(callers(kCode + 0x108), both);
  EXPECT_EQ(callers(kCode + 0x110), chain);
}

TEST(Aarch64Guess, PltEntriesKeepTheLinkRegister) {
  BareCode code;
  code.Put(0x80, {0xd63f0000});  // blr x0
  // adrp x16; ldr x17, [x16, #24]; add x16, x16, #24; br x17
  code.Put(0x200, {0xb0000010, 0xf9400e11, 0x91006210, 0xd61f0220});
  const std::vector<std::uint64_t> stack = {0, kCode + 0x20};
  for (std::uint64_t pc = kCode + 0x200; pc < kCode + 0x210; pc += 4) {
    const Walked walked(code, pc, kStack, kCode + 0x84, stack);
    EXPECT_EQ(walked.Callers(), (std::vector<std::uint64_t>{kCode + 0x84, kCode + 0x20}));
  }
  EXPECT_FALSE(aarch64::IsInPlt(code.Region(), kCode + 0x1fc));
  EXPECT_FALSE(aarch64::IsInPlt(code.Region(), kCode + 0x210));
}

TEST(Aarch64Guess, CallThroughABadPointerHasItsCaller) {
  BareCode code;
  code.Put(0x80, {0xd63f0000});
  const Walked walked(code, 0x10, 0, kCode + 0x84, {1, 2});
  EXPECT_EQ(walked.Callers(), std::vector<std::uint64_t>{kCode + 0x84});
}

TEST(Aarch64Guess, LeavesASignalHandlerThroughItsTrampoline) {
  BareCode code;
  code.Put(0x100, {0xd2801168, 0xd4000001});  // mov x8, #139; svc #0
  for (const std::uint64_t at : {0, 4, 8}) {
    EXPECT_TRUE(IsSignalTrampoline(Arch::kAarch64, code.Region(), kCode + 0x100 + at));
  }
  EXPECT_FALSE(IsSignalTrampoline(Arch::kAarch64, code.Region(), kCode + 0x10c));
  // The thread is in the trampoline: the kernel's frame is at sp.
  std::vector<std::uint64_t> stack(100, 0);
  const auto put = [&](std::uint64_t number, std::uint64_t value) {
    stack[SignalContextOffset(Arch::kAarch64, number) / 8] = value;
  };
  put(29, kStack + 90 * 8);
  put(31, kStack + 80 * 8);
  put(32, kCode + 0x180);
  stack[91] = kCode + 0x20;
  const Walked walked(code, kCode + 0x100, 0, 0, stack);
  EXPECT_EQ(walked.Callers(), (std::vector<std::uint64_t>{kCode + 0x180, kCode + 0x20}));
  EXPECT_EQ(walked.frames[1].kind, FrameKind::kInstruction);
}

}  // namespace
}  // namespace prof::unwind::walk
