// The test process unwinds itself; glibc's backtrace() says what must come out.
#include "prof/unwind/stack_unwinder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/unwind/self_process.h"
#include "unit/unwind/stack_scenes.h"

namespace prof::unwind {
namespace {

using model::FrameKind;
using model::StackEnd;

constexpr std::size_t kManyFrames = 4096;

TEST(StackUnwinder, FindsEveryCallerInEveryScene) {
  for (const Scene& scene : AllScenes()) {
    SCOPED_TRACE(scene.name);
    Capture capture;
    scene.run([&] { capture.Take(); });
    const SelfProcess self;
    StackUnwinder unwinder(self.images());
    std::vector<UnwoundFrame> frames;
    EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames),
              StackEnd::kComplete);
    EXPECT_EQ(Callers(frames), capture.expected);
    EXPECT_EQ(frames[0].address, capture.registers.pc());
    EXPECT_EQ(frames[0].kind, FrameKind::kInstruction);
  }
}

TEST(StackUnwinder, CountsRecursionExactly) {
  for (const int depth : {2, 17, 400}) {
    Capture capture;
    Recurse(depth, [&] { capture.Take(); });
    const SelfProcess self;
    StackUnwinder unwinder(self.images());
    std::vector<UnwoundFrame> frames;
    ASSERT_EQ(unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames),
              StackEnd::kComplete);
    std::map<std::uint64_t, int> seen;
    for (const UnwoundFrame& frame : frames) ++seen[frame.address.value];
    const auto most = std::ranges::max_element(seen, {}, [](const auto& e) { return e.second; });
    EXPECT_EQ(most->second, depth == 2 ? 1 : depth - 1);
  }
}

TEST(StackUnwinder, FrameInterruptedBySignalIsAnInstruction) {
  Capture capture;
  InsideSignal([&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames);
  // Besides frame 0: the trampoline and what it interrupted, next to each other.
  std::vector<std::size_t> instructions;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].kind == FrameKind::kInstruction) instructions.push_back(i);
  }
  ASSERT_EQ(instructions.size(), 2U);
  EXPECT_EQ(instructions[1], instructions[0] + 1);
}

TEST(StackUnwinder, FramesNameModuleAndFileAddress) {
  Capture capture;
  InsideSort([&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames);
  bool in_libc = false;
  for (const UnwoundFrame& frame : frames) {
    const UnwoundFrame located =
        LocateFrame(frame.address, frame.kind, self.space(), self.images());
    EXPECT_EQ(located.module, frame.module);
    EXPECT_EQ(located.file_address, frame.file_address);
    in_libc |= self.PathOf(frame.module).find("libc.so") != std::string::npos;
    // The module's code at the file address is what is in memory at the runtime address.
    const auto code = self.images().Image(frame.module)->BytesAt(frame.file_address, 8);
    ASSERT_EQ(code.size(), 8U);
    EXPECT_EQ(std::memcmp(code.data(), reinterpret_cast<void*>(frame.address.value), 8), 0);
  }
  EXPECT_TRUE(in_libc);
}

TEST(StackUnwinder, SaysTruncatedWhenTheCopyEndsEarly) {
  Capture capture;
  Recurse(100, [&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  capture.stack.resize(2048);
  EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames),
            StackEnd::kTruncated);
  ASSERT_LT(frames.size(), capture.expected.size() + 1);
  const auto callers = Callers(frames);
  EXPECT_TRUE(std::equal(callers.begin(), callers.end(), capture.expected.begin()));
}

TEST(StackUnwinder, StopsAtTheMaximumDepth) {
  Capture capture;
  Recurse(30, [&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  for (const std::size_t most : {1U, 2U, 20U}) {
    EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), most, frames), StackEnd::kMaxDepth);
    EXPECT_EQ(frames.size(), most);
  }
  const std::size_t exact = capture.expected.size() + 1;
  EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), exact, frames), StackEnd::kComplete);
  EXPECT_EQ(frames.size(), exact);
}

TEST(StackUnwinder, WithoutRegistersOrStackThereIsFrame0Only) {
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  EXPECT_EQ(unwinder.Unwind({}, self.space(), kManyFrames, frames), StackEnd::kNoUserStack);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].module, kNoModule);

  Capture capture;
  capture.Take();
  capture.registers.valid &= ~(std::uint64_t{1} << 7);  // rsp
  EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames),
            StackEnd::kNoUserStack);
  EXPECT_EQ(frames.size(), 1U);
}

TEST(StackUnwinder, CallThroughABadPointerHasItsCaller) {
  Capture capture;
  Recurse(5, [&] { capture.Take(); });
  // As if Take had just called address 8.
  std::vector<std::byte> stack(8);
  const std::uint64_t return_address = capture.expected[0];
  std::memcpy(stack.data(), &return_address, 8);
  Registers registers = capture.registers;
  registers.value[16] = 8;
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  unwinder.Unwind({registers, stack}, self.space(), kManyFrames, frames);
  ASSERT_GE(frames.size(), 2U);
  EXPECT_EQ(frames[1].address.value, return_address);
}

TEST(StackUnwinder, ReturnAddressOutsideEveryMappingIsReported) {
  Capture capture;
  Recurse(20, [&] { capture.Take(); });
  // Overwrites the return address of the recursion's tenth frame, wherever it lies.
  const std::uint64_t bad = 0x10;
  const std::uint64_t target = capture.expected[10];
  for (std::size_t i = 0; i + 8 <= capture.stack.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, capture.stack.data() + i, 8);
    if (word == target) std::memcpy(capture.stack.data() + i, &bad, 8);
  }
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  EXPECT_EQ(unwinder.Unwind(capture.input(), self.space(), kManyFrames, frames),
            StackEnd::kBadReturn);
}

TEST(StackUnwinder, RandomStackBytesAndRegistersNeverReadOutside) {
  Capture capture;
  Recurse(20, [&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Capture damaged = capture;
    damaged.stack.resize(random() % damaged.stack.size());
    for (int i = 0; i < 200 && !damaged.stack.empty(); ++i) {
      damaged.stack[random() % damaged.stack.size()] = static_cast<std::byte>(random());
    }
    damaged.stack.shrink_to_fit();
    if (round % 3 == 0) damaged.registers.value[random() % 17] ^= random() % 4096;
    if (round % 7 == 0) damaged.registers.value[random() % 17] = random();
    if (round % 11 == 0) damaged.registers.valid = random();
    unwinder.Unwind(damaged.input(), self.space(), kManyFrames, frames);
    EXPECT_GE(frames.size(), 1U);
  }
}

TEST(StackUnwinder, KeepsProcessesApart) {
  Capture capture;
  Recurse(5, [&] { capture.Take(); });
  const SelfProcess self;
  StackUnwinder unwinder(self.images());
  std::vector<UnwoundFrame> frames;
  model::AddressSpace space = self.space();
  EXPECT_EQ(unwinder.Unwind(capture.input(), space, kManyFrames, frames), StackEnd::kComplete);
  // The same object now describes another process, where nothing is known about this code.
  space.Clear();
  unwinder.Unwind(capture.input(), space, kManyFrames, frames);
  EXPECT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].module, kNoModule);
  space = self.space();
  EXPECT_EQ(unwinder.Unwind(capture.input(), space, kManyFrames, frames), StackEnd::kComplete);
  EXPECT_EQ(Callers(frames), capture.expected);
}

}  // namespace
}  // namespace prof::unwind
