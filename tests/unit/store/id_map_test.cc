// Ids with gaps become dense ones.
#include "store/id_map.h"

#include <gtest/gtest.h>

namespace prof::store {
namespace {

TEST(IdMapTest, KeepsIdsWithoutGaps) {
  IdMap map(16, 16);
  EXPECT_EQ(map.Find(16), std::nullopt);
  EXPECT_EQ(map.Define(16), 16u);
  EXPECT_EQ(map.Define(17), 17u);
  EXPECT_EQ(map.Find(17), 17u);
  EXPECT_EQ(map.Find(18), std::nullopt);
  EXPECT_EQ(map.Find(15), std::nullopt);
}

TEST(IdMapTest, ClosesGaps) {
  IdMap map(0, 0);
  EXPECT_EQ(map.Define(5), 0u);
  EXPECT_EQ(map.Define(6), 1u);
  EXPECT_EQ(map.Define(4'000'000'000), 2u);
  EXPECT_EQ(map.Find(4), std::nullopt);
  EXPECT_EQ(map.Find(6), 1u);
  EXPECT_EQ(map.Find(7), std::nullopt);
  EXPECT_EQ(map.Find(4'000'000'000), 2u);
}

TEST(IdMapTest, RefusesIdsThatAreNotAscending) {
  IdMap map(0, 0);
  EXPECT_EQ(map.Define(3), 0u);
  EXPECT_EQ(map.Define(3), std::nullopt);
  EXPECT_EQ(map.Define(1), std::nullopt);
}

}  // namespace
}  // namespace prof::store
