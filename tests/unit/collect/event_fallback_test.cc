// What is sampled when the wish cannot be fulfilled, and by which kind of event.
#include "collect/event_fallback.h"

#include <gtest/gtest.h>

namespace prof::collect {
namespace {

perf::EventSpec Software(std::uint64_t config) {
  perf::EventSpec event;
  event.attr.type = PERF_TYPE_SOFTWARE;
  event.attr.config = config;
  event.desc.name = "event";
  return event;
}

const perf::KernelLimits kRoot{.privileged = true};
const perf::KernelLimits kUser{.paranoid = 2};

TEST(EventFallbackTest, CommandsAreSampledCpuWideByClocksWherePermitted) {
  RecordOptions options{.events = {Software(PERF_COUNT_SW_CPU_CLOCK)}};
  EXPECT_TRUE(UseCpuWide(options, kRoot));
  EXPECT_FALSE(UseCpuWide(options, kUser));
  options.cpu_wide = false;
  EXPECT_FALSE(UseCpuWide(options, kRoot));
}

TEST(EventFallbackTest, RareEventsStayWithTheTargetsTasks) {
  RecordOptions options{
      .events = {Software(PERF_COUNT_SW_CPU_CLOCK), Software(PERF_COUNT_SW_PAGE_FAULTS)}};
  EXPECT_FALSE(UseCpuWide(options, kRoot));
  options.cpu_wide = true;
  EXPECT_TRUE(UseCpuWide(options, kRoot));
}

TEST(EventFallbackTest, OnlyInheritingCommandsAreSampledCpuWide) {
  RecordOptions options{.events = {Software(PERF_COUNT_SW_CPU_CLOCK)}, .inherit = false};
  EXPECT_FALSE(UseCpuWide(options, kRoot));
  options.inherit = true;
  options.target.kind = model::TargetKind::kProcesses;
  EXPECT_FALSE(UseCpuWide(options, kRoot));
}

TEST(EventFallbackTest, WholeCpusAndTheKernelNeedTheRight) {
  RecordOptions options{.events = {Software(PERF_COUNT_SW_CPU_CLOCK)}};
  options.target.kind = model::TargetKind::kSystem;
  ASSERT_FALSE(CheckPermissions(options, kUser));
  EXPECT_EQ(CheckPermissions(options, kUser).error().kind, ErrorKind::kPermission);
  EXPECT_TRUE(CheckPermissions(options, kRoot));
  options.target.kind = model::TargetKind::kCommand;
  EXPECT_TRUE(CheckPermissions(options, kUser));
  options.all_kernel = true;
  EXPECT_FALSE(CheckPermissions(options, kUser));
}

RecordOptions Of(std::uint32_t type, std::uint64_t config, const std::string& name) {
  RecordOptions options;
  options.target.command = {"true"};
  perf::EventSpec event;
  event.attr.type = type;
  event.attr.config = config;
  event.desc.name = name;
  event.tracepoint = type == PERF_TYPE_TRACEPOINT;
  options.events.push_back(event);
  return options;
}

perf::KernelLimits User(int paranoid) {
  perf::KernelLimits limits;
  limits.privileged = false;
  limits.paranoid = paranoid;
  return limits;
}

TEST(EventFallbackTest, EventsOfTheKernelAloneAreRefusedWhereTheyWouldStayEmpty) {
  const RecordOptions tracepoint = Of(PERF_TYPE_TRACEPOINT, 1, "sched:sched_switch");
  EXPECT_FALSE(CheckPermissions(tracepoint, User(2)));
  EXPECT_TRUE(CheckPermissions(tracepoint, User(1)));
  const RecordOptions switches =
      Of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches");
  ASSERT_FALSE(CheckPermissions(switches, User(2)));
  EXPECT_EQ(CheckPermissions(switches, User(2)).error().kind, ErrorKind::kPermission);
}

TEST(EventFallbackTest, WhatMeetsUserCodeGoesOnWithoutTheKernel) {
  EXPECT_TRUE(
      CheckPermissions(Of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults"), User(2)));
  EXPECT_TRUE(CheckPermissions(Of(PERF_TYPE_TRACEPOINT, 1, "syscalls:sys_enter_write"), User(2)));
}

}  // namespace
}  // namespace prof::collect
