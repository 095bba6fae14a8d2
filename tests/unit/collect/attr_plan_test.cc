// Rates, dump sizes and privilege levels of the planned events.
#include "collect/attr_plan.h"

#include <gtest/gtest.h>

namespace prof::collect {
namespace {

perf::EventSpec Event(const std::string& name) {
  perf::EventSpec spec;
  spec.desc.name = name;
  spec.attr.type = PERF_TYPE_SOFTWARE;
  return spec;
}

AttrPlan Plan(const RecordOptions& options,
              const perf::KernelLimits& limits = {.privileged = true}) {
  auto plan = PlanAttrs(options, limits, {.read_lost = true}, false);
  EXPECT_TRUE(plan) << plan.error().message;
  return std::move(*plan);
}

TEST(AttrPlanTest, DumpSizeFollowsTheSumOfTheRates) {
  EXPECT_EQ(DefaultDumpBytes(1000, false), 65'528u);
  EXPECT_EQ(DefaultDumpBytes(1001, false), 32'768u);
  EXPECT_EQ(DefaultDumpBytes(4000, false), 32'768u);
  EXPECT_EQ(DefaultDumpBytes(4001, false), 16'384u);
  EXPECT_EQ(DefaultDumpBytes(99, true), 8192u);
  RecordOptions options{.events = {Event("a"), Event("b")},
                        .frequency_hz = 600,
                        .call_graph = model::CallGraphMode::kAuto};
  EXPECT_EQ(Plan(options).dump_bytes, 32'768u);
}

TEST(AttrPlanTest, DefaultIsAPrimeFrequencyAndTracepointsTakeEveryHit) {
  RecordOptions options{.events = {Event("clock"), Event("sched:sched_switch")}};
  options.events[1].tracepoint = true;
  const AttrPlan plan = Plan(options);
  EXPECT_EQ(plan.events[0].desc.sampling_value, 997u);
  EXPECT_EQ(plan.events[0].attr.freq, 1u);
  EXPECT_EQ(plan.events[1].desc.sampling_value, 1u);
  EXPECT_EQ(plan.events[1].attr.freq, 0u);
}

TEST(AttrPlanTest, RatesAboveTheLimitAreLoweredAndSaid) {
  RecordOptions options{.events = {Event("clock")}, .frequency_hz = 50'000};
  const AttrPlan plan = Plan(options, {.max_sample_rate = 10'000, .privileged = true});
  EXPECT_EQ(plan.events[0].attr.sample_freq, 10'000u);
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_NE(plan.notes[0].find("perf_event_max_sample_rate"), std::string::npos);
}

TEST(AttrPlanTest, WithoutTheRightTheKernelIsLeftOutAndTheReasonKept) {
  RecordOptions options{.events = {Event("clock")}};
  const AttrPlan plan = Plan(options, {.paranoid = 2});
  EXPECT_TRUE(plan.events[0].attr.exclude_kernel);
  EXPECT_EQ(plan.events[0].desc.name, "clock:u");
  EXPECT_NE(plan.events[0].desc.restriction.find("perf_event_paranoid is 2"), std::string::npos);
  options.all_user = true;
  EXPECT_TRUE(Plan(options, {.paranoid = 2}).events[0].desc.restriction.empty());
}

TEST(AttrPlanTest, FramePointerChainsAreAsLongAsTheKernelAllows) {
  RecordOptions options{.events = {Event("clock")},
                        .call_graph = model::CallGraphMode::kFramePointers,
                        .max_stack = 1024};
  const AttrPlan plan = Plan(options, {.max_stack = 127, .privileged = true});
  EXPECT_EQ(plan.events[0].attr.sample_max_stack, 127);
  EXPECT_EQ(plan.chain_frames, 127U);
  EXPECT_EQ(plan.dump_bytes, 0u);
}

TEST(AttrPlanTest, UserStacksAreCopiedAndTheKernelChainIsItsOwn) {
  RecordOptions options{
      .events = {Event("clock")}, .call_graph = model::CallGraphMode::kDwarf, .dump_bytes = 8192};
  const AttrPlan plan = Plan(options);
  const perf_event_attr& attr = plan.events[0].attr;
  EXPECT_EQ(attr.sample_stack_user, 8192u);
  EXPECT_TRUE(attr.exclude_callchain_user);
  EXPECT_NE(attr.sample_type & PERF_SAMPLE_REGS_USER, 0u);
  EXPECT_FALSE(plan.dump_by_rate);
}

TEST(AttrPlanTest, GroupSamplingWithInheritNeedsTheKernelThatCan) {
  RecordOptions options{.events = {Event("leader"), Event("member")}};
  for (auto& event : options.events) {
    event.group = 0;
    event.leader_sampling = true;
  }
  options.events[0].group_leader = true;
  const auto refused =
      PlanAttrs(options, {.privileged = true}, {.inherit_group_read = false}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  options.inherit = false;
  const AttrPlan plan = Plan(options);
  EXPECT_NE(plan.events[0].attr.read_format & PERF_FORMAT_GROUP, 0u);
  EXPECT_TRUE(plan.events[1].read_member);
  EXPECT_EQ(plan.events[1].attr.sample_period, 0u);
  EXPECT_EQ(plan.events[1].desc.group_leader, 0);
}

TEST(AttrPlanTest, OnlyTheLeaderOfAGroupStartsDisabled) {
  RecordOptions options{.events = {Event("leader"), Event("member")}};
  options.events[0].group = options.events[1].group = 0;
  options.events[0].group_leader = true;
  const AttrPlan plan = Plan(options);
  EXPECT_TRUE(plan.events[0].attr.disabled);
  EXPECT_TRUE(plan.events[0].attr.enable_on_exec);
  EXPECT_FALSE(plan.events[1].attr.disabled);
}

TEST(AttrPlanTest, CpuTimeComesBeforeInheritedEventsOfEveryOtherKind) {
  EXPECT_TRUE(CpuTimeAttr(true).pinned);
  EXPECT_FALSE(SideBandAttr({}, true, true).pinned);
}

TEST(AttrPlanTest, ReadersOnEachCpuAreWokenByEverySample) {
  RecordOptions options;
  options.events = {perf::CpuClockEvent()};
  const auto by_watermark = PlanAttrs(options, {.privileged = true}, {}, false);
  ASSERT_TRUE(by_watermark);
  EXPECT_EQ(by_watermark->events[0].attr.watermark, 1u);
  options.readers.pinned = true;
  const auto pinned = PlanAttrs(options, {.privileged = true}, {}, false);
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned->events[0].attr.watermark, 0u);
  EXPECT_EQ(pinned->events[0].attr.wakeup_events, 1u);
}

}  // namespace
}  // namespace prof::collect
