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

}  // namespace
}  // namespace prof::collect
