// Real aarch64 code, interrupted before every instruction it runs: the callers have to come out
// whatever machine the test runs on.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "unit/unwind/recorded_trace.h"

namespace prof::unwind {
namespace {

using model::FrameKind;
using model::StackEnd;

class Aarch64Recorded : public testing::TestWithParam<const char*> {};

TEST_P(Aarch64Recorded, EveryInstructionHasItsTrueCallers) {
  RecordedTrace trace(GetParam());
  StackUnwinder unwinder(trace.images());
  std::vector<UnwoundFrame> frames;
  std::set<std::string> chains;
  while (trace.Next()) {
    const auto stack = trace.Stack();
    const StackEnd end = unwinder.Unwind({trace.registers(), stack}, trace.space(), 100, frames);
    EXPECT_EQ(trace.Describe(frames), trace.Expected());
    EXPECT_EQ(end, StackEnd::kComplete) << trace.Expected();
    chains.insert(trace.Describe(frames));
  }
  EXPECT_GT(chains.size(), 200U);
}

TEST_P(Aarch64Recorded, WhatASignalInterruptedIsAnInstruction) {
  RecordedTrace trace(GetParam());
  StackUnwinder unwinder(trace.images());
  std::vector<UnwoundFrame> frames;
  std::size_t signals = 0;
  while (trace.Next()) {
    const auto stack = trace.Stack();
    unwinder.Unwind({trace.registers(), stack}, trace.space(), 100, frames);
    for (std::size_t i = 1; i + 1 < frames.size(); ++i) {
      if (trace.Describe({frames[i]}) != "Restorer+0") continue;
      ++signals;
      EXPECT_EQ(frames[i].kind, FrameKind::kInstruction);
      EXPECT_EQ(frames[i + 1].kind, FrameKind::kInstruction);
      EXPECT_EQ(frames[i + 2].kind, FrameKind::kReturn);
    }
  }
  EXPECT_GT(signals, 10U);
}

TEST_P(Aarch64Recorded, ACopyThatEndsEarlyGivesAPrefix) {
  RecordedTrace trace(GetParam());
  StackUnwinder unwinder(trace.images());
  std::vector<UnwoundFrame> frames;
  std::size_t truncated = 0;
  while (trace.Next()) {
    auto stack = trace.Stack();
    stack.resize(stack.size() / 3);
    const StackEnd end = unwinder.Unwind({trace.registers(), stack}, trace.space(), 100, frames);
    EXPECT_TRUE(trace.Expected().starts_with(trace.Describe(frames)));
    EXPECT_TRUE(end == StackEnd::kTruncated || end == StackEnd::kComplete);
    truncated += end == StackEnd::kTruncated ? 1 : 0;
  }
  EXPECT_GT(truncated, 30U);
}

TEST_P(Aarch64Recorded, DamagedStacksAreHarmless) {
  RecordedTrace trace(GetParam());
  StackUnwinder unwinder(trace.images());
  std::vector<UnwoundFrame> frames;
  std::mt19937_64 random(5);
  while (trace.Next()) {
    auto stack = trace.Stack();
    for (int i = 0; i < 30; ++i) stack[random() % stack.size()] = static_cast<std::byte>(random());
    stack.resize(random() % stack.size());
    stack.shrink_to_fit();
    Registers registers = trace.registers();
    if (random() % 3 == 0) registers.value[random() % 33] = random();
    if (random() % 5 == 0) registers.valid = random();
    unwinder.Unwind({registers, stack}, trace.space(), 100, frames);
    EXPECT_GE(frames.size(), 1U);
  }
}

// "a < b < c" without b.
std::string WithoutCaller(const std::string& chain) {
  const std::size_t first = chain.find(" < ");
  const std::size_t second = chain.find(" < ", first + 1);
  return second == std::string::npos ? chain : chain.substr(0, first) + chain.substr(second);
}

// Where x29 is already, or still, the caller's and the link register does not tell, one frame is
// missing; at the edges of a signal handler it is the trampoline and what the signal interrupted.
// Nothing else may be wrong.
TEST(Aarch64WithoutUnwindInformation, FramePointersAndCallsGiveNearlyEveryChain) {
  RecordedTrace trace("bare");
  StackUnwinder unwinder(trace.images());
  std::vector<UnwoundFrame> frames;
  std::size_t states = 0;
  std::size_t right = 0;
  while (trace.Next()) {
    const auto stack = trace.Stack();
    const StackEnd end = unwinder.Unwind({trace.registers(), stack}, trace.space(), 100, frames);
    EXPECT_EQ(end, StackEnd::kComplete) << trace.Expected();
    ++states;
    if (trace.Describe(frames) == trace.Expected()) {
      ++right;
      continue;
    }
    std::string missing = WithoutCaller(trace.Expected());
    if (trace.Expected().find(" < Restorer") != std::string::npos) missing = WithoutCaller(missing);
    EXPECT_EQ(trace.Describe(frames), missing) << trace.Expected();
  }
  EXPECT_GT(right, states * 17 / 20) << states;
}

INSTANTIATE_TEST_SUITE_P(, Aarch64Recorded, testing::Values("gcc", "pac", "clang"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace prof::unwind
