// The prefix tree of stacks.
#include "collect/node_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace prof::collect {
namespace {

TEST(NodeTableTest, SameParentAndFrameIsTheSameNode) {
  NodeTable table;
  const auto [first, first_new] = table.Insert(1, {3, model::FrameKind::kReturn, {0x1000}});
  const auto [second, second_new] = table.Insert(1, {3, model::FrameKind::kReturn, {0x1000}});
  EXPECT_TRUE(first_new);
  EXPECT_FALSE(second_new);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, model::kStackRootCount);
}

TEST(NodeTableTest, EveryPartOfTheKeyCounts) {
  NodeTable table;
  const auto base = table.Insert(1, {3, model::FrameKind::kReturn, {0x1000}}).first;
  EXPECT_NE(base, table.Insert(2, {3, model::FrameKind::kReturn, {0x1000}}).first);
  EXPECT_NE(base, table.Insert(1, {4, model::FrameKind::kReturn, {0x1000}}).first);
  EXPECT_NE(base, table.Insert(1, {3, model::FrameKind::kInstruction, {0x1000}}).first);
  EXPECT_NE(base, table.Insert(1, {3, model::FrameKind::kReturn, {0x1001}}).first);
  EXPECT_EQ(table.size(), 5u);
}

TEST(NodeTableTest, AgreesWithAMapOverManyInsertions) {
  NodeTable table;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, model::StackId> expected;
  std::mt19937 random(5);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t parent = random() % 500, module = random() % 7;
    const std::uint64_t address = random() % 300 * 16;
    const auto [id, added] = table.Insert(parent, {module, model::FrameKind::kReturn, {address}});
    const auto [it, missing] = expected.try_emplace({parent, module, address}, id);
    EXPECT_EQ(added, missing);
    ASSERT_EQ(it->second, id);
  }
  EXPECT_EQ(table.size(), expected.size());
}

TEST(NodeTableTest, ClearStartsIdsAgain) {
  NodeTable table;
  for (std::uint64_t i = 0; i < 10'000; ++i) table.Insert(1, {0, model::FrameKind::kReturn, {i}});
  table.Clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.Insert(1, {0, model::FrameKind::kReturn, {7}}).first, model::kStackRootCount);
}

}  // namespace
}  // namespace prof::collect
