// Runs of several files as the two sides of a comparison.
#include "prof/analysis/counts/merge_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/counts/run_stream.h"

#include "prof/analysis/counts/quantity.h"
#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {
namespace {

using test::Hardware;
using test::PageFaults;
using test::Refused;
using test::RunStream;
using test::TaskClock;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Runs of one command with a time and a count each.
SavedRuns File(const std::string& name, const std::string& command,
               const std::vector<double>& seconds, std::uint64_t faults = 100) {
  RunStream stream;
  stream.Append(model::RecordingInfo{.os_release = "6.1", .cpu_model = "X", .cpus_online = 4});
  stream.Side(command);
  const model::EventId event = stream.Event(PageFaults());
  for (const double wall_s : seconds) {
    stream.Read(event, faults);
    stream.Run(wall_s);
  }
  return {name, stream.runs()};
}

RunSet Merge(const std::vector<SavedRuns>& before, const std::vector<SavedRuns>& after) {
  auto merged = MergeRuns(before, after);
  EXPECT_TRUE(merged.has_value()) << merged.error().message;
  return merged ? *std::move(merged) : RunSet{};
}

std::vector<double> Walls(const RunSet& runs, std::uint32_t side) {
  const auto sample = SampleOf(runs, side, QuantitiesOf(runs).front());
  return sample ? std::vector<double>(sample->values().begin(), sample->values().end())
                : std::vector<double>{};
}

TEST(MergeRuns, SidesAreAfterAndBefore) {
  const RunSet runs =
      Merge({File("b1", "./old", {1, 2}), File("b2", "./old", {3})}, {File("a1", "./new", {4, 5})});
  ASSERT_EQ(runs.sides.size(), 2U);
  EXPECT_EQ(runs.sides[0].text, "./new");
  EXPECT_EQ(runs.sides[1].text, "./old");
  EXPECT_EQ(runs.sides[1].id, 1U);
  EXPECT_THAT(Walls(runs, 0), ElementsAre(4, 5));
  EXPECT_THAT(Walls(runs, 1), ElementsAre(1, 2, 3));
  for (std::uint32_t run = 0; run < runs.runs.size(); ++run) EXPECT_EQ(runs.runs[run].def.run, run);
  EXPECT_EQ(runs.events.size(), 1U);
  EXPECT_THAT(runs.info->notes, IsEmpty());
}

TEST(MergeRuns, EventsAreMatchedByName) {
  RunStream other;  // the same events, in another order
  other.Side("./new");
  const model::EventId clock = other.Event(TaskClock());
  const model::EventId faults = other.Event(PageFaults());
  other.Read(clock, 7'000'000);
  other.Read(faults, 55);
  other.Run(1);
  const RunSet runs = Merge({File("b", "./old", {1})}, {{"a", other.runs()}});
  ASSERT_EQ(runs.events.size(), 2U);
  EXPECT_EQ(runs.events[0].name, "page-faults");
  EXPECT_EQ(runs.runs[0].Total(0).value, 100U);
  EXPECT_EQ(runs.runs[1].Total(0).value, 55U);
  EXPECT_EQ(runs.runs[1].Total(1).value, 7'000'000U);
  EXPECT_FALSE(runs.runs[0].Total(1).WasCounted());
  const StatReport report = BuildStatReport(runs, {});
  EXPECT_THAT(report.comparisons.front().unusable,
              Contains(HasSubstr("task-clock: no run of './old' has it")));
}

TEST(MergeRuns, AnEventThatOneSideCountedIsNotRefused) {
  const auto with = [](const model::EventDesc& event, bool counted) {
    RunStream stream;
    stream.Side("./app");
    const model::EventId id = stream.Event(event);
    if (counted) stream.Read(id, 5);
    stream.Run(1);
    return SavedRuns{counted ? "good" : "bad", stream.runs()};
  };
  const auto refused = with(Refused("cycles", "no counters"), false);
  const auto counted = with(Hardware("cycles", 0), true);
  EXPECT_TRUE(Merge({refused}, {counted}).events.at(0).refused.empty());
  EXPECT_TRUE(Merge({counted}, {refused}).events.at(0).refused.empty());
  EXPECT_EQ(Merge({refused}, {refused}).events.at(0).refused, "no counters");
}

TEST(MergeRuns, WithoutTheKernelItIsAnotherEvent) {
  const auto with = [](bool restricted) {
    RunStream stream;
    stream.Side("./app");
    model::EventDesc event = Hardware("cycles", 0);
    event.excludes_kernel = restricted;
    if (restricted) event.restriction = "perf_event_paranoid is 2";
    stream.Read(stream.Event(event), 5);
    stream.Run(1);
    return SavedRuns{restricted ? "user" : "root", stream.runs()};
  };
  const RunSet runs = Merge({with(true)}, {with(false)});
  EXPECT_EQ(runs.events.size(), 2U);
  EXPECT_THAT(runs.info->notes, Contains(HasSubstr("which are not compared")));
}

TEST(MergeRuns, MetricsThatARunLacksAreNoNumbers) {
  const auto with = [](const std::string& metric, double value) {
    RunStream stream;
    stream.Side("./app");
    stream.Append(model::MetricDef{.name = metric, .pattern = metric});
    stream.Run(1, 0, [&](model::RunDef& def) { def.metrics = {value}; });
    return SavedRuns{metric, stream.runs()};
  };
  const RunSet same = Merge({with("fps", 30)}, {with("fps", 60)});
  ASSERT_EQ(same.metrics.size(), 1U);
  EXPECT_THAT(Walls(same, 0), ElementsAre(60));
  EXPECT_THAT(Walls(same, 1), ElementsAre(30));
  const RunSet other = Merge({with("fps", 30)}, {with("score", 60)});
  ASSERT_EQ(other.metrics.size(), 2U);
  EXPECT_EQ(other.metrics[1].id, 1U);
  EXPECT_FALSE(ValueOf(other.runs[1], other, QuantitiesOf(other).front()).has_value());
}

TEST(MergeRuns, ThreadsStayApart) {
  const auto with = [](std::uint32_t tid) {
    RunStream stream;
    stream.Side("1");
    const model::EventId event = stream.Event(PageFaults());
    const std::uint32_t thread = stream.Thread(tid, "t" + std::to_string(tid));
    stream.Read(event, tid, {.thread = thread});
    stream.Run(1);
    return SavedRuns{"f", stream.runs()};
  };
  const RunSet runs = Merge({with(7)}, {with(8)});
  ASSERT_EQ(runs.threads.size(), 2U);
  const auto& counts = runs.runs[1].At(0);
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(runs.threads.at(counts.begin()->first.thread).tid, 8U);
}

TEST(MergeRuns, SidesOfOneCommandAreCalledByTheirFiles) {
  const RunSet runs =
      Merge({File("b1", "./app", {1}), File("b2", "./app", {1})}, {File("a", "./app", {1})});
  EXPECT_EQ(runs.sides[1].text, "b1, b2");
  EXPECT_EQ(runs.sides[0].text, "a");
}

TEST(MergeRuns, WhatMakesSidesHardToCompareIsNoted) {
  SavedRuns other = File("a", "./new", {1});
  other.runs.info->cpu_model = "Y";
  other.runs.info->cpus_online = 8;
  other.runs.info->os_release = "6.2";
  other.runs.info->notes = {"said at its start"};
  const RunSet runs = Merge({File("b", "./old", {1})}, {other});
  EXPECT_THAT(runs.info->notes,
              ElementsAre("said at its start", "the machine differs: X before, Y after",
                          "the number of CPUs differs: 4 before, 8 after",
                          "the kernel differs: 6.1 before, 6.2 after"));
}

TEST(MergeRuns, ComparisonsAndEmptyFilesAreRefused) {
  RunStream two;
  two.Side("./new");
  two.Side("./old");
  two.Run(1);
  const std::vector<SavedRuns> good{File("b", "./old", {1})};
  const std::vector<SavedRuns> both{{"vs", two.runs()}};
  const auto refused = MergeRuns(good, both);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadData);
  EXPECT_THAT(refused.error().message, HasSubstr("vs compares 2 commands"));
  const std::vector<SavedRuns> none{File("empty", "./new", {})};
  ASSERT_FALSE(MergeRuns(good, none).has_value());
  EXPECT_THAT(MergeRuns(good, none).error().message, HasSubstr("empty has no whole run"));
  EXPECT_THAT(MergeRuns(none, good).error().message, HasSubstr("empty has no whole run"));
  EXPECT_FALSE(MergeRuns({}, good).has_value());
}

TEST(MergeRuns, AComparisonComesOfIt) {
  const std::vector<double> slow{1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07};
  const std::vector<double> fast{0.50, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56, 0.57};
  const RunSet runs = Merge({File("b", "./old", slow)}, {File("a", "./new", fast)});
  const StatReport report = BuildStatReport(runs, {});
  ASSERT_EQ(report.comparisons.size(), 1U);
  EXPECT_THAT(report.comparisons.front().verdict, HasSubstr("faster by"));
  EXPECT_FALSE(IsWorseBy(report.comparisons.front(), 5));
  const StatReport swapped =
      BuildStatReport(Merge({File("a", "./new", fast)}, {File("b", "./old", slow)}), {});
  EXPECT_TRUE(IsWorseBy(swapped.comparisons.front(), 5));
  EXPECT_THAT(swapped.comparisons.front().verdict,
              AllOf(HasSubstr("slower"), Not(HasSubstr("no"))));
}

}  // namespace
}  // namespace prof::analysis::counts
