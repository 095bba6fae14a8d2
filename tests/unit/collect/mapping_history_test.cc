// Mappings by time: late changes, execs, and states that somebody still reads.
#include "collect/mapping_history.h"

#include <gtest/gtest.h>

namespace prof::collect {
namespace {

model::Mapping At(std::uint64_t start, model::LoadedModule module) {
  return {.start = {start}, .end = {start + 0x1000}, .file_offset = {0}, .module = module};
}

// The module mapped at an address at a time; 0: none.
model::LoadedModule Module(MappingHistory& history, std::uint64_t time_ns, std::uint64_t address) {
  const auto space = history.At(time_ns);
  const model::Mapping* mapping = space->Find({address});
  return mapping == nullptr ? 0 : mapping->module;
}

TEST(MappingHistory, AMappingIsThereFromItsTimeOn) {
  MappingHistory history;
  history.Map(10, At(0x1000, 1));
  history.Map(20, At(0x1000, 2));
  EXPECT_EQ(Module(history, 9, 0x1800), 0u);
  EXPECT_EQ(Module(history, 10, 0x1800), 1u);
  EXPECT_EQ(Module(history, 19, 0x1800), 1u);
  EXPECT_EQ(Module(history, 20, 0x1800), 2u);
}

TEST(MappingHistory, WhatComesLateTakesEffectAtItsTime) {
  MappingHistory history;
  history.Map(10, At(0x1000, 1));
  history.Map(30, At(0x3000, 3));
  EXPECT_EQ(Module(history, 35, 0x2800), 0u);
  history.Map(20, At(0x2000, 2));
  EXPECT_EQ(Module(history, 15, 0x2800), 0u);
  EXPECT_EQ(Module(history, 25, 0x2800), 2u);
  EXPECT_EQ(Module(history, 35, 0x2800), 2u);
  EXPECT_EQ(Module(history, 35, 0x3800), 3u);
}

TEST(MappingHistory, WhatComesLateStaysBelowWhatReplacedIt) {
  MappingHistory history;
  history.Map(30, At(0x1000, 3));
  history.Map(20, At(0x1000, 2));
  EXPECT_EQ(Module(history, 25, 0x1800), 2u);
  EXPECT_EQ(Module(history, 30, 0x1800), 3u);
}

TEST(MappingHistory, AnExecEndsWhatWasBeforeItHoweverLateThatComes) {
  MappingHistory history;
  history.Map(10, At(0x1000, 1));
  history.Replace(20, std::make_shared<model::AddressSpace>());
  history.Map(30, At(0x3000, 3));
  history.Map(15, At(0x2000, 2));
  EXPECT_EQ(Module(history, 19, 0x1800), 1u);
  EXPECT_EQ(Module(history, 19, 0x2800), 2u);
  EXPECT_EQ(history.At(20)->size(), 0u);
  EXPECT_EQ(history.At(30)->size(), 1u);
}

TEST(MappingHistory, WhatSomebodyReadsNeverChanges) {
  MappingHistory history;
  history.Map(10, At(0x1000, 1));
  const auto before = history.At(10);
  history.Map(5, At(0x2000, 2));
  history.Map(20, At(0x3000, 3));
  history.Settle(100);
  history.Map(200, At(0x4000, 4));
  EXPECT_EQ(before->size(), 1u);
  EXPECT_EQ(history.Newest()->size(), 4u);
}

TEST(MappingHistory, ForgetsMomentsThatNobodyWillAskAbout) {
  MappingHistory history;
  history.Map(10, At(0x1000, 1));
  history.Map(20, At(0x1000, 2));
  history.Settle(15);
  EXPECT_TRUE(history.has_changes());
  EXPECT_EQ(Module(history, 15, 0x1800), 1u);
  EXPECT_EQ(Module(history, 20, 0x1800), 2u);
  history.Settle(20);
  EXPECT_FALSE(history.has_changes());
  EXPECT_EQ(Module(history, 20, 0x1800), 2u);
}

TEST(MappingHistory, WhereNothingWasKnownProcHoldsForAllTimes) {
  MappingHistory history;
  auto space = std::make_shared<model::AddressSpace>();
  space->Map(At(0x1000, 1));
  history.Replace(100, space);
  EXPECT_EQ(Module(history, 50, 0x1800), 1u);
}

}  // namespace
}  // namespace prof::collect
