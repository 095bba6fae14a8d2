// What is taken from pieces of code is exactly what was there.
#include "symbols/dwarf/code_pieces.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace prof::symbols {
namespace {

std::vector<CodeRange> Take(CodePieces& pieces, CodeRange range) {
  std::vector<CodeRange> taken;
  pieces.Take(range, taken);
  return taken;
}

TEST(CodePiecesTest, TakesPartsOnce) {
  CodePieces pieces({{10, 20}, {20, 30}, {40, 50}});
  const auto middle = Take(pieces, {15, 42});
  ASSERT_EQ(middle.size(), 3u);
  EXPECT_EQ(middle[0].begin, 15u);
  EXPECT_EQ(middle[0].end, 20u);
  EXPECT_EQ(middle[2].begin, 40u);
  EXPECT_EQ(middle[2].end, 42u);
  EXPECT_TRUE(Take(pieces, {15, 42}).empty());
  EXPECT_FALSE(pieces.Overlaps({15, 42}));
  EXPECT_TRUE(pieces.Overlaps({42, 43}));
  EXPECT_EQ(Take(pieces, {0, 100}).size(), 2u);
  EXPECT_TRUE(pieces.empty());
}

TEST(CodePiecesTest, EmptyAndTurnedRangesTakeNothing) {
  CodePieces pieces({{10, 20}});
  EXPECT_TRUE(Take(pieces, {15, 15}).empty());
  EXPECT_TRUE(Take(pieces, {18, 12}).empty());
  EXPECT_FALSE(pieces.Overlaps({18, 12}));
  EXPECT_EQ(Take(pieces, {0, ~std::uint64_t{0}}).size(), 1u);
}

TEST(CodePiecesTest, AgreesWithMarksOnEveryAddress) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> marks(200, false);
    CodePieces pieces;
    for (std::uint64_t at = 0; at + 20 < marks.size(); at += 20) {
      const std::uint64_t end = at + 1 + random() % 20;
      pieces.Add({at, end});
      for (std::uint64_t i = at; i < end; ++i) marks[i] = true;
    }
    for (int take = 0; take < 20; ++take) {
      const std::uint64_t begin = random() % marks.size();
      const std::uint64_t end = begin + random() % 50;
      std::vector<bool> taken(marks.size() + 64, false);
      for (const CodeRange& range : Take(pieces, {begin, end})) {
        for (std::uint64_t i = range.begin; i < range.end; ++i) taken[i] = true;
      }
      for (std::uint64_t i = 0; i < marks.size(); ++i) {
        const bool expected = marks[i] && i >= begin && i < end;
        ASSERT_EQ(taken[i], expected) << i;
        if (expected) marks[i] = false;
      }
    }
  }
}

}  // namespace
}  // namespace prof::symbols
