// Streams of any order, and damaged ones.
#include "prof/analysis/counts/run_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/counts/run_stream.h"

namespace prof::analysis::counts {
namespace {

using test::RunStream;

model::CounterReading Reading(std::uint32_t run, std::uint64_t time_ns, std::uint64_t value) {
  return {.run = run, .time_ns = time_ns, .value = value, .enabled_ns = 10, .running_ns = 10};
}

TEST(Count, IsScaledByTheShareOfTheTimeItWasCounted) {
  const Count count{.value = 100, .enabled_ns = 4000, .running_ns = 1000, .parts = 1};
  EXPECT_DOUBLE_EQ(count.CountedShare(), 0.25);
  EXPECT_DOUBLE_EQ(count.Scaled(), 400);
  EXPECT_FALSE(Count{.enabled_ns = 5}.WasCounted());
  EXPECT_EQ(Count{.enabled_ns = 5}.Scaled(), 0);
}

TEST(Count, TimesThatNoKernelGivesScaleNothing) {
  EXPECT_DOUBLE_EQ((Count{.value = 7, .enabled_ns = 0, .running_ns = 9}).Scaled(), 7);
  EXPECT_DOUBLE_EQ((Count{.value = 7, .enabled_ns = 5, .running_ns = 9}).CountedShare(), 1);
}

TEST(Count, SumsStayAtTheLargestNumber) {
  Count count{.value = ~std::uint64_t{0} - 1, .parts = 1};
  count += {.value = 5, .enabled_ns = 3, .parts = 1};
  EXPECT_EQ(count, (Count{.value = ~std::uint64_t{0}, .enabled_ns = 3, .parts = 2}));
}

TEST(RunSet, TotalAddsAllPlaces) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Read(0, 3, {.cpu = 0}, 100, 50);
  stream.Read(0, 4, {.cpu = 1}, 200, 200);
  stream.Run(1);
  const RunSet& set = stream.runs();
  ASSERT_EQ(set.runs.size(), 1U);
  EXPECT_EQ(set.runs[0].Total(0),
            (Count{.value = 7, .enabled_ns = 300, .running_ns = 250, .parts = 2}));
  EXPECT_EQ(set.runs[0].Total(99), Count{});
  EXPECT_EQ(set.losses, 0U);
}

TEST(RunSet, RunsAndReadingsMayComeInAnyOrder) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(model::RunDef{.run = 2});
  stream.Append(Reading(2, 5, 22));
  stream.Append(Reading(0, 5, 20));
  stream.Append(Reading(1, 5, 21));
  stream.Append(model::RunDef{.run = 1});
  stream.Append(model::RunDef{.run = 0});
  const RunSet& set = stream.runs();
  ASSERT_EQ(set.runs.size(), 3U);
  for (std::uint32_t run = 0; run < 3; ++run) {
    EXPECT_EQ(set.runs[run].def.run, run);
    EXPECT_EQ(set.runs[run].Total(0).value, 20 + run);
  }
  EXPECT_EQ(set.losses, 0U);
  EXPECT_EQ(stream.builder().current(), nullptr);
}

TEST(RunSet, TheLatestReadingCountsWhateverTheOrder) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(Reading(0, 30, 3));
  stream.Append(Reading(0, 10, 1));
  stream.Append(Reading(0, 20, 2));
  ASSERT_NE(stream.builder().current(), nullptr);
  EXPECT_EQ(stream.builder().current()->Total(0).value, 3U);
  EXPECT_EQ(stream.builder().current()->latest_ns, 30U);
  stream.Append(model::RunDef{.run = 0});
  stream.Append(Reading(0, 40, 4));
  EXPECT_EQ(stream.runs().runs[0].Total(0).value, 4U);
  EXPECT_EQ(stream.runs().runs[0].latest_ns, 40U);
  EXPECT_EQ(stream.builder().current(), nullptr);
  EXPECT_EQ(stream.runs().losses, 0U);
}

TEST(RunSet, AReadingWithoutATimeIsTheTotal) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(Reading(0, model::kUnknownTime, 9));
  stream.Append(Reading(0, 30, 3));
  stream.Append(model::RunDef{.run = 0});
  EXPECT_EQ(stream.runs().runs[0].Total(0).value, 9U);
  EXPECT_EQ(stream.runs().losses, 0U);
  stream.Append(Reading(0, model::kUnknownTime, 10));
  EXPECT_EQ(stream.runs().runs[0].Total(0).value, 10U);
  EXPECT_EQ(stream.runs().losses, 1U);
}

TEST(RunSet, CurrentIsTheOldestOpenRun) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(Reading(4, 1, 40));
  stream.Append(Reading(3, 2, 30));
  ASSERT_NE(stream.builder().current(), nullptr);
  EXPECT_EQ(stream.builder().current()->def.run, 3U);
  stream.Append(model::RunDef{.run = 3});
  EXPECT_EQ(stream.builder().current()->def.run, 4U);
}

TEST(RunSet, WhatCannotBePlacedIsCountedAsLost) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Event(test::Refused("cycles", "no PMU"));
  const auto losses_of = [&stream](const model::Record& record) {
    const std::uint64_t before = stream.runs().losses;
    stream.Append(record);
    return stream.runs().losses - before;
  };
  EXPECT_EQ(losses_of(model::CounterReading{.event = 7}), 1U);
  EXPECT_EQ(losses_of(model::CounterReading{.event = 1}), 1U);
  EXPECT_EQ(losses_of(model::CounterReading{.event = 0, .thread = 0}), 1U);
  EXPECT_EQ(losses_of(model::RunDef{.run = 0, .side = 1}), 1U);
  EXPECT_EQ(losses_of(model::RunDef{.run = 0}), 0U);
  EXPECT_EQ(losses_of(model::RunDef{.run = 0}), 1U);
  EXPECT_EQ(losses_of(model::SideDef{.id = 0}), 1U);
  EXPECT_EQ(losses_of(model::SideDef{.id = 4000000000}), 1U);
  EXPECT_EQ(losses_of(model::EventDef{.id = 5}), 1U);
  EXPECT_EQ(losses_of(model::MetricDef{.id = 1}), 1U);
  EXPECT_EQ(losses_of(model::ThreadDef{.id = 1}), 1U);
  EXPECT_EQ(losses_of(model::Loss{.count = 12}), 12U);
  EXPECT_EQ(losses_of(model::Sample{}), 0U);
  EXPECT_EQ(stream.runs().runs.size(), 1U);
}

TEST(RunSet, ThreadIdsStartAgainWithAnEpoch) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(model::EpochBegin{});
  stream.Append(model::ProcessDef{.id = 0, .pid = 70});
  stream.Append(model::ThreadDef{.id = 0, .process = 0, .tid = 71, .name = "one"});
  stream.Append(model::CounterReading{.thread = 0, .value = 1});
  stream.Append(model::EpochBegin{.index = 1});
  stream.Append(model::ThreadDef{.id = 0, .process = 0, .tid = 72, .name = "two"});
  stream.Append(model::CounterReading{.thread = 0, .value = 2});
  stream.Append(model::RunDef{});
  const RunSet& set = stream.runs();
  ASSERT_EQ(set.threads.size(), 2U);
  EXPECT_EQ(set.threads[0].pid, 70U);
  EXPECT_EQ(set.threads[1].pid, 0U);
  EXPECT_EQ(set.threads[1].comm, "two");
  const auto& places = set.runs[0].At(0);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places.at({.thread = 0}).value, 1U);
  EXPECT_EQ(places.at({.thread = 1}).value, 2U);
  EXPECT_EQ(set.losses, 0U);
}

TEST(RunSet, RunsOfASideKeepTheirOrder) {
  RunStream stream;
  stream.Side("b");
  stream.Side("a");
  for (const std::uint32_t side : {1U, 0U, 0U, 1U}) stream.Run(1, side);
  const auto runs = stream.runs().RunsOf(1);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]->def.run, 0U);
  EXPECT_EQ(runs[1]->def.run, 3U);
  EXPECT_TRUE(stream.runs().RunsOf(2).empty());
}

}  // namespace
}  // namespace prof::analysis::counts
