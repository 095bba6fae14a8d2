// The rule cache keeps two rules where two addresses meet.
#include "unwind/walk/rule_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace prof::unwind::walk {
namespace {

Rule SpPlus(std::int32_t offset) { return {.offset = offset, .cfa = CfaForm::kSp}; }

TEST(RuleCacheTest, IsEmptyAtFirstEvenForAddressZero) {
  std::array<RuleCache::Slot, 4> slots{};
  const RuleCache cache(slots);
  EXPECT_EQ(cache.Find(0, 0), nullptr);
}

TEST(RuleCacheTest, TellsModulesApart) {
  std::array<RuleCache::Slot, 64> slots{};
  RuleCache cache(slots);
  cache.Put(1, 0x1000, SpPlus(8));
  ASSERT_NE(cache.Find(1, 0x1000), nullptr);
  EXPECT_EQ(cache.Find(1, 0x1000)->rule, SpPlus(8));
  EXPECT_EQ(cache.Find(2, 0x1000), nullptr);
}

TEST(RuleCacheTest, TheOlderOfTwoRulesMakesRoom) {
  std::array<RuleCache::Slot, 4> slots{};  // two pairs
  RuleCache cache(slots);
  const RuleCache::Slot* const newest_of_pair = &cache.Put(1, 0, SpPlus(0));
  std::vector<std::uint64_t> same_pair;
  for (std::uint64_t address = 1; same_pair.size() < 2; ++address) {
    if (&cache.Put(1, address, SpPlus(8)) != newest_of_pair) continue;
    same_pair.push_back(address);
    EXPECT_EQ(cache.Find(1, 0) != nullptr, same_pair.size() == 1);
  }
  EXPECT_NE(cache.Find(1, same_pair[0]), nullptr);
  EXPECT_NE(cache.Find(1, same_pair[1]), nullptr);
}

TEST(RuleCacheTest, OnlyOrdinaryRulesAreMarkedSo) {
  std::array<RuleCache::Slot, 4> slots{};
  RuleCache cache(slots);
  EXPECT_TRUE(cache.Put(1, 0x10, SpPlus(8)).ordinary);
  EXPECT_FALSE(cache.Put(1, 0x20, {.cfa = CfaForm::kSignal}).ordinary);
  EXPECT_FALSE(cache.Put(1, 0x30, {.cfa = CfaForm::kSp, .fp = FpForm::kUnknown}).ordinary);
}

}  // namespace
}  // namespace prof::unwind::walk
