#include "report/jump_lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "report/text_fit.h"

namespace prof::report {
namespace {

// All rows with what passes in front of them left out.
std::vector<std::string> Drawn(const std::vector<Jump>& jumps, std::size_t rows, std::size_t most,
                               std::vector<std::uint64_t> heat = {}) {
  heat.resize(rows);
  const JumpLanes lanes(jumps, heat, most);
  std::vector<std::string> drawn;
  for (std::uint32_t row = 0; row < rows; ++row) drawn.push_back(lanes.At(row));
  return drawn;
}

using Rows = std::vector<std::string>;

TEST(JumpLanesTest, WithoutJumpsThereAreNoColumns) {
  const JumpLanes lanes({}, std::array<std::uint64_t, 2>{1, 1}, 4);
  EXPECT_EQ(lanes.width(), 0U);
  EXPECT_EQ(lanes.At(0), "");
  EXPECT_EQ(lanes.Before(1), "");
}

TEST(JumpLanesTest, LoopPointsAtItsHead) {
  EXPECT_EQ(Drawn({{2, 0}}, 4, 4), (Rows{"┌─→", "│  ", "└─↑", "   "}));
}

TEST(JumpLanesTest, ForwardJumpPointsDown) {
  EXPECT_EQ(Drawn({{0, 2}}, 3, 4), (Rows{"┌─↓", "│  ", "└─→"}));
}

TEST(JumpLanesTest, ShorterArrowsLieInside) {
  EXPECT_EQ(Drawn({{3, 0}, {2, 1}}, 4, 4), (Rows{"┌──→", "│┌─→", "│└─↑", "└──↑"}));
}

TEST(JumpLanesTest, CrossingArrowsCross) {
  EXPECT_EQ(Drawn({{0, 2}, {1, 3}}, 4, 4), (Rows{" ┌─↓", "┌┼─↓", "│└─→", "└──→"}));
}

TEST(JumpLanesTest, JumpsToOneTargetShareAnArrow) {
  EXPECT_EQ(Drawn({{0, 3}, {1, 3}}, 4, 4), (Rows{"┌─↓", "├─↓", "│  ", "└─→"}));
  EXPECT_EQ(Drawn({{2, 0}, {3, 0}}, 4, 1), (Rows{"┌─→", "│  ", "├─↑", "└─↑"}));
}

TEST(JumpLanesTest, ArrowsOfBothDirectionsMeetAtATarget) {
  EXPECT_EQ(Drawn({{0, 1}, {3, 1}}, 4, 4), (Rows{" ┌─↓", "┌┴─→", "│   ", "└──↑"}));
}

TEST(JumpLanesTest, ArrowsThatDoNotOverlapUseOneLane) {
  EXPECT_EQ(Drawn({{1, 0}, {3, 2}}, 4, 4), (Rows{"┌─→", "└─↑", "┌─→", "└─↑"}));
}

TEST(JumpLanesTest, LoopsComeBeforeForwardJumps) {
  EXPECT_EQ(Drawn({{0, 2}, {3, 1}}, 4, 1, {1000, 0, 1000, 0}), (Rows{"  ↓", "┌─→", "│  ", "└─↑"}));
}

TEST(JumpLanesTest, TheHotLoopComesFirst) {
  // The outer one has all samples too, but more code for them.
  EXPECT_EQ(Drawn({{4, 0}, {2, 1}}, 5, 1, {0, 50, 50, 0, 0}),
            (Rows{"   ", "┌─→", "└─↑", "   ", "  ↑"}));
  EXPECT_EQ(Drawn({{1, 0}, {4, 0}}, 5, 1)[4], "└─↑");
}

TEST(JumpLanesTest, TheForwardJumpWithHotEndsComesFirst) {
  EXPECT_EQ(Drawn({{0, 2}, {1, 3}}, 4, 1, {0, 0, 0, 9}), (Rows{"  ↓", "┌─↓", "│  ", "└─→"}));
  EXPECT_EQ(Drawn({{0, 2}, {1, 3}}, 4, 1, {0, 0, 9, 0}), (Rows{"┌─↓", "│ ↓", "└─→", "   "}));
}

TEST(JumpLanesTest, JumpToItselfHasNoArrow) {
  EXPECT_EQ(Drawn({{1, 1}}, 3, 4), (Rows{"  ", " ↑", "  "}));
}

TEST(JumpLanesTest, EndsOutsideTheCodeAreNotDrawn) {
  EXPECT_EQ(Drawn({{1, 7}, {9, 0}}, 2, 4), (Rows{"", ""}));
}

TEST(JumpLanesTest, NoLanesLeaveTheDirection) {
  EXPECT_EQ(Drawn({{2, 0}}, 3, 0), (Rows{"  ", "  ", " ↑"}));
}

TEST(JumpLanesTest, RowsBetweenInstructionsShowWhatPasses) {
  const std::vector<Jump> jumps = {{2, 1}, {3, 0}};
  const JumpLanes lanes(jumps, std::array<std::uint64_t, 5>{}, 4);
  EXPECT_EQ(lanes.Before(0), "    ");
  EXPECT_EQ(lanes.Before(1), "│   ");
  EXPECT_EQ(lanes.Before(2), "││  ");
  EXPECT_EQ(lanes.Before(4), "    ");
  EXPECT_EQ(lanes.Before(5), "    ");
}

TEST(JumpLanesTest, LinesReachToTheCode) {
  const std::vector<Jump> jumps = {{1, 0}};
  const JumpLanes lanes(jumps, std::array<std::uint64_t, 3>{}, 4);
  EXPECT_EQ(lanes.At(0, 2), "┌───→");
  EXPECT_EQ(lanes.At(2, 2), "     ");
}

// Many jumps of every length: never more lanes than allowed, every row as wide as the others, and
// heads only where something jumps to.
TEST(JumpLanesTest, ManyJumpsKeepTheLimit) {
  constexpr std::uint32_t kRows = 400;
  std::vector<Jump> jumps;
  std::uint32_t state = 12345;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 300; ++i) jumps.push_back({next() % kRows, next() % kRows});
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t from = next() % (kRows - 10);
    jumps.push_back({from, from + next() % 10});
  }
  std::vector<std::uint64_t> heat(kRows);
  for (std::uint64_t& value : heat) value = next() % 100;
  for (const std::size_t most : {1U, 2U, 4U, 8U}) {
    const JumpLanes lanes(jumps, heat, most);
    EXPECT_LE(lanes.lanes(), most);
    EXPECT_GT(lanes.lanes(), 0U);
    std::set<std::uint32_t> targets;
    for (const Jump& jump : jumps) targets.insert(jump.to);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      EXPECT_EQ(DisplayWidth(lanes.At(row)), lanes.width());
      EXPECT_EQ(DisplayWidth(lanes.Before(row)), lanes.width());
      EXPECT_TRUE(!lanes.At(row).ends_with("→") || targets.contains(row)) << row;
    }
  }
}

TEST(JumpLanesTest, AllLanesServeWhereArrowsOverlap) {
  // A ladder: each arrow overlaps the next two, so three lanes have room for all, whatever the
  // order of lengths.
  std::vector<Jump> jumps;
  for (std::uint32_t i = 0; i < 30; ++i) jumps.push_back({3 * i, 3 * i + 7 + i % 2});
  const JumpLanes lanes(jumps, std::vector<std::uint64_t>(100), 3);
  EXPECT_EQ(lanes.lanes(), 3U);
  for (const Jump& jump : jumps) EXPECT_TRUE(lanes.At(jump.to).ends_with("→")) << jump.to;
}

}  // namespace
}  // namespace prof::report
