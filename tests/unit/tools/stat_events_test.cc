// Which events the options come to.
#include "stat_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace prof::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StatEvents Choose(const EventChoice& choice) {
  const HostFs fs(std::string(PROF_TEST_DATA) + "/hosts/vm-without-pmu");
  auto events = ChooseEvents(choice, fs);
  EXPECT_TRUE(events.has_value()) << events.error().message;
  return std::move(events).value_or(StatEvents{});
}

std::vector<std::string> Names(const StatEvents& events) {
  std::vector<std::string> names;
  for (const perf::EventSpec& spec : events.specs) names.push_back(spec.desc.name);
  return names;
}

TEST(StatEventsTest, DefaultsArePerfs) {
  const StatEvents events = Choose({});
  EXPECT_THAT(Names(events),
              ElementsAre("task-clock", "context-switches", "cpu-migrations", "page-faults",
                          "cycles", "instructions", "branches", "branch-misses"));
  EXPECT_TRUE(
      std::ranges::all_of(events.specs, [](const auto& spec) { return spec.desc.is_default; }));
  EXPECT_EQ(Names(Choose({.whole_cpus = true})).front(), "cpu-clock");
  EXPECT_THAT(Choose({.none = true}).specs, IsEmpty());
}

TEST(StatEventsTest, DetailAddsLevelByLevel) {
  EXPECT_EQ(Choose({.detail = 1}).specs.size(), 12u);
  EXPECT_EQ(Choose({.detail = 2}).specs.size(), 18u);
  EXPECT_EQ(Choose({.detail = 3}).specs.size(), 20u);
  EXPECT_EQ(Choose({.detail = 9}).specs.size(), 20u);
  EXPECT_EQ(Choose({.texts = {"page-faults"}, .detail = 1}).specs.size(), 5u);
}

TEST(StatEventsTest, EventsAskedForReplaceTheDefaults) {
  const StatEvents events = Choose({.texts = {"page-faults", "{cycles,instructions}:u"}});
  ASSERT_EQ(events.specs.size(), 3u);
  EXPECT_FALSE(events.specs[0].desc.is_default);
  EXPECT_EQ(events.specs[1].group, events.specs[2].group);
  EXPECT_TRUE(events.specs[1].group_leader);
}

TEST(StatEventsTest, TimesAreNoEvents) {
  EXPECT_THAT(Names(Choose({.texts = {"duration_time,page-faults,user_time,{cycles,branches}"}})),
              ElementsAre("page-faults", "cycles", "branches"));
  EXPECT_THAT(Choose({.texts = {"duration_time,system_time"}}).specs, IsEmpty());
}

TEST(StatEventsTest, EmptyAndUnknownEventsAreErrors) {
  const HostFs fs(std::string(PROF_TEST_DATA) + "/hosts/vm-without-pmu");
  for (const char* text : {"", "page-faults,", ",page-faults", "no-such-event"})
    EXPECT_FALSE(ChooseEvents({.texts = {text}}, fs).has_value()) << text;
}

TEST(StatEventsTest, AGroupOfAllHasOneLeader) {
  const StatEvents events = Choose({.texts = {"page-faults", "cycles"}, .one_group = true});
  ASSERT_EQ(events.specs.size(), 2u);
  EXPECT_EQ(events.specs[0].group, 0);
  EXPECT_EQ(events.specs[1].group, 0);
  EXPECT_TRUE(events.specs[0].group_leader);
  EXPECT_FALSE(events.specs[1].group_leader);
}

TEST(StatEventsTest, UserOrKernelOnly) {
  EXPECT_TRUE(Choose({.texts = {"cycles"}, .all_user = true}).specs[0].attr.exclude_kernel);
  EXPECT_TRUE(Choose({.texts = {"cycles"}, .all_kernel = true}).specs[0].attr.exclude_user);
}

TEST(StatEventsTest, MetricsBringTheirEvents) {
  EXPECT_THAT(Names(Choose({.metrics = {"ipc"}})), ElementsAre("cycles", "instructions"));
  EXPECT_EQ(Choose({.metrics = {"ipc", "ipc"}}).specs.size(), 2u);
}

TEST(StatEventsTest, MetricsShareTheirEvents) {
  EXPECT_THAT(Names(Choose({.metrics = {"cpus-utilized", "page-fault-rate", "ipc", "frequency"}})),
              ElementsAre("task-clock", "page-faults", "cycles", "instructions"));
  EXPECT_THAT(Names(Choose({.texts = {"task-clock,cycles"}, .metrics = {"ipc"}})),
              ElementsAre("task-clock", "cycles", "cycles", "instructions"));
}

TEST(StatEventsTest, MetricsThatThisMachineLacksAreSaidSo) {
  const HostFs fs(std::string(PROF_TEST_DATA) + "/hosts/vm-without-pmu");
  const auto alone = ChooseEvents({.metrics = {"topdown"}}, fs);
  ASSERT_FALSE(alone.has_value());
  EXPECT_EQ(alone.error().kind, ErrorKind::kUnsupported);
  const StatEvents beside = Choose({.texts = {"page-faults"}, .metrics = {"topdown"}});
  EXPECT_EQ(beside.specs.size(), 1u);
  ASSERT_FALSE(beside.notes.empty());
  EXPECT_THAT(beside.notes[0], HasSubstr("this machine lacks its events"));
  EXPECT_FALSE(ChooseEvents({.metrics = {"no-such-metric"}}, fs).has_value());
}

}  // namespace
}  // namespace prof::tools
