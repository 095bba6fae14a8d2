// Attributes, names and refusals of counters, by rights and machine.
#include <gtest/gtest.h>

#include "collect/counting/count_plan.h"

namespace prof::collect {
namespace {

const perf::KernelLimits kRoot{.privileged = true};
const perf::KernelLimits kUser{.paranoid = 2};

perf::EventSpec Event(const std::string& name, std::uint32_t type, std::uint64_t config) {
  perf::EventSpec event;
  event.desc.name = name;
  event.attr.type = type;
  event.attr.config = config;
  event.tracepoint = type == PERF_TYPE_TRACEPOINT;
  return event;
}
perf::EventSpec Software(const std::string& name, std::uint64_t config) {
  return Event(name, PERF_TYPE_SOFTWARE, config);
}
perf::EventSpec Faults() { return Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS); }

CountOptions Of(std::vector<perf::EventSpec> events) {
  CountOptions options;
  options.events = std::move(events);
  return options;
}
CountPlan Plan(const CountOptions& options, const perf::KernelLimits& limits = kRoot,
               const std::string& machine = "vm-without-pmu") {
  return PlanCounters(options, limits, HostFs(PROF_TEST_DATA "/hosts/" + machine));
}

TEST(CountPlanTest, ACommandsExecEnablesItsCounters) {
  CountOptions options = Of({Faults()});
  EXPECT_TRUE(Plan(options).counters[0].attr.enable_on_exec);
  EXPECT_TRUE(Plan(options).counters[0].attr.inherit);
  EXPECT_TRUE(Plan(options).counters[0].attr.disabled);
  options.delay_ms = 1;
  EXPECT_FALSE(Plan(options).counters[0].attr.enable_on_exec);
  options.inherit = false;
  EXPECT_FALSE(Plan(options).counters[0].attr.inherit);
  options.delay_ms = 0;
  options.target.kind = model::TargetKind::kProcesses;
  EXPECT_FALSE(Plan(options).counters[0].attr.enable_on_exec);
}

TEST(CountPlanTest, WholeCpusInheritNothingButTheirThreadsDo) {
  CountOptions options = Of({Faults()});
  options.target.kind = model::TargetKind::kSystem;
  EXPECT_FALSE(Plan(options).counters[0].attr.inherit);
  options.split = CountSplit::kThread;
  EXPECT_TRUE(Plan(options).counters[0].attr.inherit);
}

TEST(CountPlanTest, WhatOnlySamplingHasIsTakenAway) {
  perf::EventSpec event = Event("cycles:pp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  event.attr.precise_ip = event.desc.precise = 2;
  event.attr.sample_period = 1000;
  event.attr.freq = 1;
  const CountPlan plan = Plan(Of({event}));
  EXPECT_EQ(plan.counters[0].attr.precise_ip, 0u);
  EXPECT_EQ(plan.counters[0].attr.sample_period, 0u);
  EXPECT_EQ(plan.counters[0].attr.freq, 0u);
  EXPECT_TRUE(plan.counters[0].attr.exclude_guest);
}

TEST(CountPlanTest, UsersCountUserCodeAndTheNameSaysSo) {
  const CountPlan plan = Plan(Of({Faults()}), kUser);
  EXPECT_EQ(plan.counters[0].desc.name, "page-faults:u");
  EXPECT_TRUE(plan.counters[0].attr.exclude_kernel);
  EXPECT_EQ(plan.counters[0].desc.restriction, "kernel.perf_event_paranoid is 2");
  EXPECT_TRUE(plan.counters[0].desc.refused.empty());
}

TEST(CountPlanTest, ClocksCountAllTimeWhateverIsExcluded) {
  const CountPlan plan = Plan(Of({Software("task-clock", PERF_COUNT_SW_TASK_CLOCK)}), kUser);
  EXPECT_TRUE(plan.counters[0].attr.exclude_kernel);  // or it would not be permitted
  EXPECT_EQ(plan.counters[0].desc.name, "task-clock");
  EXPECT_TRUE(plan.counters[0].desc.restriction.empty());
  EXPECT_FALSE(plan.counters[0].desc.excludes_kernel);
}

TEST(CountPlanTest, EventsOfTheKernelAloneAreRefusedAndNotShownAsZero) {
  for (const auto& event : {Software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES),
                            Software("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS),
                            Event("sched:sched_switch", PERF_TYPE_TRACEPOINT, 300)}) {
    const CountPlan plan = Plan(Of({event}), kUser);
    EXPECT_NE(plan.counters[0].desc.refused.find("paranoid is 2"), std::string::npos);
    EXPECT_FALSE(plan.counters[0].desc.refused_hint.empty());
    EXPECT_EQ(plan.counters[0].desc.name, event.desc.name);
    EXPECT_TRUE(Plan(Of({event})).counters[0].desc.refused.empty());
  }
}

TEST(CountPlanTest, MigrationsAreCountedOnceAndOnlyWherePermitted) {
  EXPECT_EQ(Plan(Of({Faults()})).migrations, 1u);
  EXPECT_EQ(Plan(Of({Faults()})).wanted, 1u);
  const auto migrations = Software("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS);
  EXPECT_EQ(Plan(Of({Faults(), migrations})).migrations, 1u);
  EXPECT_EQ(Plan(Of({Faults(), migrations})).counters.size(), 2u);
  EXPECT_FALSE(Plan(Of({Faults()}), kUser).migrations);
}

TEST(CountPlanTest, ARefusedLeaderTakesItsGroupAlong) {
  std::vector<perf::EventSpec> events = {Faults(), Faults(), Faults(), Faults()};
  for (std::size_t i = 0; i < 3; ++i) events[i].group = 0;
  events[0].group_leader = true;
  CountPlan plan = Plan(Of(events));
  EXPECT_EQ(plan.counters[1].leader, 0u);
  EXPECT_EQ(plan.counters[2].desc.group_leader, 0);
  EXPECT_FALSE(plan.counters[1].attr.disabled);
  EXPECT_FALSE(plan.counters[1].attr.enable_on_exec);
  Refuse(plan, 1, {ErrorKind::kUnsupported, "why", ""});
  EXPECT_TRUE(plan.counters[0].desc.refused.empty());
  Refuse(plan, 0, {ErrorKind::kUnsupported, "no such counter", "try another"});
  EXPECT_EQ(plan.counters[0].desc.refused, "no such counter");
  EXPECT_EQ(plan.counters[1].desc.refused, "why");
  EXPECT_NE(plan.counters[2].desc.refused.find("leader"), std::string::npos);
  EXPECT_TRUE(plan.counters[3].desc.refused.empty());
}

TEST(CountPlanTest, PmusOutsideOfTheCoresCountOnTheirCpus) {
  const HostFs fs(PROF_TEST_DATA "/hosts/intel-icelake");
  const auto type = fs.ReadNumber("/sys/bus/event_source/devices/power/type");
  ASSERT_TRUE(type);
  const auto event = Event("power/energy-pkg/", static_cast<std::uint32_t>(*type), 2);
  const CountPlan plan = Plan(Of({event}), kUser, "intel-icelake");
  EXPECT_TRUE(plan.counters[0].outside_cores);
  EXPECT_FALSE(plan.counters[0].cpus.empty());
  EXPECT_FALSE(plan.counters[0].attr.inherit);
  EXPECT_FALSE(plan.counters[0].attr.enable_on_exec);
  EXPECT_FALSE(plan.counters[0].attr.exclude_kernel);  // these PMUs refuse it
}

TEST(CountPlanTest, AKindOfCoreCountsOnItsCpus) {
  const HostFs fs(PROF_TEST_DATA "/hosts/intel-alderlake");
  const auto type = fs.ReadNumber("/sys/bus/event_source/devices/cpu_atom/type");
  ASSERT_TRUE(type);
  const auto pmu = static_cast<std::uint64_t>(*type);
  const CountPlan plan =
      Plan(Of({Event("cycles", PERF_TYPE_HARDWARE, pmu << 32)}), kRoot, "intel-alderlake");
  EXPECT_FALSE(plan.counters[0].outside_cores);
  EXPECT_FALSE(plan.counters[0].cpus.empty());
  EXPECT_TRUE(plan.counters[0].attr.inherit);
}

TEST(CountPlanTest, ReasonsDoNotRepeatTheEventsName) {
  EXPECT_EQ(WithoutEventName("event 'a:u': no", "a:u"), "no");
  EXPECT_EQ(WithoutEventName("process 3 is gone", "a:u"), "process 3 is gone");
}

}  // namespace
}  // namespace prof::collect
