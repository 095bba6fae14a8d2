// Which stacks are completed, with what, and which are left as they are.
#include "collect/chain_joiner.h"

#include <gtest/gtest.h>

#include <random>

namespace prof::collect {
namespace {

using model::FrameKind;
using model::StackEnd;
using Frames = std::vector<unwind::UnwoundFrame>;

constexpr StackOwner kThread = 7;
constexpr std::size_t kMost = 1024;

// Frame number `n` from the outermost (0) on, each 0x100 bytes of stack below its caller.
unwind::UnwoundFrame Frame(std::uint64_t n, std::uint64_t variant = 0) {
  return {.address = {0x1000 + n * 16 + variant},
          .kind = FrameKind::kReturn,
          .module = 3,
          .file_address = {n * 16 + variant},
          .sp = 0x10000 - n * 0x100};
}

// The frames from `inner` to `outer`, innermost first.
Frames Stack(std::uint64_t inner, std::uint64_t outer, std::uint64_t variant = 0) {
  Frames frames;
  for (std::uint64_t n = inner + 1; n-- > outer;) frames.push_back(Frame(n, variant));
  frames.front().kind = FrameKind::kInstruction;
  return frames;
}

// The copy of a stack cut at `outer` ends where that frame's return address would be.
std::uint64_t CopyEnd(std::uint64_t outer) { return Frame(outer).sp + 0x80; }

class ChainJoinerTest : public testing::Test {
 protected:
  ChainJoinerTest() {
    Frames first = Stack(5, 4);  // what is kept starts with the first cut stack
    EXPECT_EQ(Join(first, 4), StackEnd::kTruncated);
  }
  void Learn(Frames frames, StackOwner owner = kThread) {
    EXPECT_EQ(joiner_.Join(owner, StackEnd::kComplete, 0, kMost, frames), StackEnd::kComplete);
  }
  StackEnd Join(Frames& frames, std::uint64_t outer, StackOwner owner = kThread,
                std::size_t most = kMost) {
    return joiner_.Join(owner, StackEnd::kTruncated, CopyEnd(outer), most, frames);
  }
  ChainJoiner joiner_;
};

TEST_F(ChainJoinerTest, ACutStackGoesOnAsTheLastCompleteOneWithTheSameFrame) {
  Learn(Stack(9, 0));
  Frames frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6), StackEnd::kComplete);
  ASSERT_EQ(frames.size(), 13u);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].file_address, Frame(12 - i).file_address);
    EXPECT_EQ(frames[i].sp, Frame(12 - i).sp);
    EXPECT_EQ(frames[i].module, 3u);
  }
  EXPECT_EQ(frames[0].kind, FrameKind::kInstruction);
  EXPECT_EQ(frames[6].kind, FrameKind::kReturn);
  EXPECT_EQ(frames[7].kind, FrameKind::kJoined);
  EXPECT_EQ(frames[12].kind, FrameKind::kJoined);
}

TEST_F(ChainJoinerTest, AJoinedStackIsWhatDeeperOnesAreJoinedWith) {
  Learn(Stack(9, 0));
  Frames middle = Stack(12, 6);
  EXPECT_EQ(Join(middle, 6), StackEnd::kComplete);
  Frames deep = Stack(20, 9);
  EXPECT_EQ(Join(deep, 9), StackEnd::kComplete);
  EXPECT_EQ(deep.size(), 21u);
}

TEST_F(ChainJoinerTest, TheNewestCallersCount) {
  Learn(Stack(9, 0));
  Frames other = Stack(9, 5);
  for (const auto& frame : Stack(4, 0, 8)) other.push_back(frame);  // called by others this time
  Learn(other);
  Frames frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6), StackEnd::kComplete);
  EXPECT_EQ(frames.back().file_address, Frame(0, 8).file_address);
  Learn(Stack(9, 0));
  frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6), StackEnd::kComplete);
  EXPECT_EQ(frames.back().file_address, Frame(0).file_address);
}

TEST_F(ChainJoinerTest, OtherFramesThreadsAndModulesAreNotJoined) {
  Learn(Stack(9, 0));
  Frames other_pc = Stack(12, 6, 1);
  EXPECT_EQ(Join(other_pc, 6), StackEnd::kTruncated);
  Frames other_sp = Stack(12, 6);
  other_sp.back().sp += 8;
  EXPECT_EQ(Join(other_sp, 6), StackEnd::kTruncated);
  Frames other_module = Stack(12, 6);
  other_module.back().module = 4;
  EXPECT_EQ(Join(other_module, 6), StackEnd::kTruncated);
  Frames other_thread = Stack(12, 6);
  EXPECT_EQ(Join(other_thread, 6, kThread + 1), StackEnd::kTruncated);
  Frames no_place = Stack(12, 6);
  no_place.back().sp = 0;
  EXPECT_EQ(Join(no_place, 6), StackEnd::kTruncated);
  EXPECT_EQ(other_thread.size(), 7u);
}

TEST_F(ChainJoinerTest, FramesBelowTheCutMustBeTheSameToo) {
  Learn(Stack(9, 0));
  Frames other_callee = Stack(12, 6);
  other_callee[3].address.value += 1;  // frame 9
  EXPECT_EQ(Join(other_callee, 6), StackEnd::kTruncated);
  Frames other_leaf = Stack(12, 6);
  other_leaf[2].address.value += 1;  // one further in
  EXPECT_EQ(Join(other_leaf, 6), StackEnd::kComplete);
}

TEST_F(ChainJoinerTest, ACallerThatWasInReachIsAnother) {
  Learn(Stack(9, 0));
  Frames frames = Stack(12, 6);
  // The copy held the bytes where the earlier stack had the caller's address.
  EXPECT_EQ(joiner_.Join(kThread, StackEnd::kTruncated, Frame(5).sp, kMost, frames),
            StackEnd::kTruncated);
  EXPECT_EQ(frames.size(), 7u);
}

TEST_F(ChainJoinerTest, TheDepthLimitHolds) {
  Learn(Stack(9, 0));
  Frames frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6, kThread, 10), StackEnd::kMaxDepth);
  EXPECT_EQ(frames.size(), 10u);
  frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6, kThread, 13), StackEnd::kComplete);
}

TEST_F(ChainJoinerTest, OnlyCompleteStacksAreLearntFrom) {
  Frames broken = Stack(9, 0);
  EXPECT_EQ(joiner_.Join(kThread, StackEnd::kNoUnwindInfo, 0, kMost, broken),
            StackEnd::kNoUnwindInfo);
  Frames frames = Stack(12, 6);
  EXPECT_EQ(Join(frames, 6), StackEnd::kTruncated);
}

// With far more threads than there is room for: what is joined is never wrong.
TEST_F(ChainJoinerTest, MemoryFullOfOthersLosesAnswersAndGivesNoWrongOnes) {
  std::mt19937 random(1);
  std::size_t joined = 0;
  for (int round = 0; round < 20'000; ++round) {
    const StackOwner owner = 1 + random() % 300;
    const std::uint64_t depth = 20 + random() % 30;
    if (random() % 2 == 0) {
      Learn(Stack(depth, 0, owner), owner);
      continue;
    }
    Frames frames = Stack(depth, depth / 2, owner);
    if (Join(frames, depth / 2, owner) != StackEnd::kComplete) continue;
    ++joined;
    ASSERT_EQ(frames.size(), depth + 1);
    for (const auto& frame : frames) ASSERT_EQ(frame.address.value % 16, owner % 16);
    ASSERT_EQ(frames.back().file_address, Frame(0, owner).file_address);
  }
  EXPECT_GT(joined, 1000u);
}

// Wherever the stack of a deep recursion lies, there is room for all of its frames.
TEST_F(ChainJoinerTest, DeepStacksAreJoinedInAnyLayoutOfTheAddressSpace) {
  constexpr std::uint64_t kDepth = 1000;
  std::mt19937_64 random(1);
  for (int layout = 0; layout < 200; ++layout) {
    const std::uint64_t top = 0x7ffc'0000'0000 + random() % (1U << 30U) * 16;
    Frames whole;
    for (std::uint64_t n = kDepth; n-- > 0;)
      whole.push_back({.address = {0x401136},
                       .kind = FrameKind::kReturn,
                       .module = 3,
                       .file_address = {0x1136},
                       .sp = top - n * 0x30});
    Frames cut(whole.begin(), whole.begin() + 20);
    Learn(whole);
    const std::uint64_t copy_end = cut.back().sp + 0x20;
    ASSERT_EQ(joiner_.Join(kThread, StackEnd::kTruncated, copy_end, kMost, cut),
              StackEnd::kComplete)
        << layout;
    ASSERT_EQ(cut.size(), kDepth);
  }
}

}  // namespace
}  // namespace prof::collect
