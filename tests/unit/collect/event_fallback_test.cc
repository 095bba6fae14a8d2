// What may be recorded with which rights.
#include "collect/event_fallback.h"

#include <gtest/gtest.h>

namespace prof::collect {
namespace {

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
