// When steps of a run are due.
#include <gtest/gtest.h>

#include "collect/counting/run_schedule.h"

namespace prof::collect {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kStart = 1000 * kMs;

TEST(RunScheduleTest, WithoutLimitsNothingIsEverDue) {
  RunSchedule schedule({}, kStart);
  EXPECT_TRUE(schedule.counting());
  EXPECT_FALSE(schedule.NextNs());
  const auto due = schedule.Take(kStart + 1'000'000 * kMs);
  EXPECT_FALSE(due.enable || due.read || due.stop);
}

TEST(RunScheduleTest, IntervalsStayOnTheirGrid) {
  CountOptions options;
  options.interval_ms = 100;
  RunSchedule schedule(options, kStart);
  EXPECT_EQ(schedule.NextNs(), kStart + 100 * kMs);
  EXPECT_FALSE(schedule.Take(kStart + 99 * kMs).read);
  EXPECT_TRUE(schedule.Take(kStart + 130 * kMs).read);  // late
  EXPECT_EQ(schedule.NextNs(), kStart + 200 * kMs);
  EXPECT_TRUE(schedule.Take(kStart + 555 * kMs).read);  // three were missed
  EXPECT_FALSE(schedule.Take(kStart + 599 * kMs).read);
  EXPECT_EQ(schedule.NextNs(), kStart + 600 * kMs);
}

TEST(RunScheduleTest, SoManyIntervalsAndNoMore) {
  CountOptions options;
  options.interval_ms = 10;
  options.interval_count = 2;
  RunSchedule schedule(options, kStart);
  EXPECT_FALSE(schedule.Take(kStart + 10 * kMs).stop);
  const auto last = schedule.Take(kStart + 20 * kMs);
  EXPECT_TRUE(last.read);
  EXPECT_TRUE(last.stop);
  EXPECT_FALSE(schedule.NextNs());
  EXPECT_FALSE(schedule.Take(kStart + 30 * kMs).read);
}

TEST(RunScheduleTest, EverythingIsMeasuredFromTheEndOfTheDelay) {
  CountOptions options;
  options.delay_ms = 50;
  options.interval_ms = 100;
  options.timeout_s = 0.12;
  RunSchedule schedule(options, kStart);
  EXPECT_FALSE(schedule.counting());
  EXPECT_EQ(schedule.NextNs(), kStart + 50 * kMs);
  EXPECT_TRUE(schedule.Take(kStart + 50 * kMs).enable);
  EXPECT_FALSE(schedule.Take(kStart + 51 * kMs).enable);
  EXPECT_EQ(schedule.NextNs(), kStart + 150 * kMs);
  EXPECT_TRUE(schedule.Take(kStart + 150 * kMs).read);
  EXPECT_EQ(schedule.NextNs(), kStart + 170 * kMs);
  EXPECT_TRUE(schedule.Take(kStart + 170 * kMs).stop);
  EXPECT_FALSE(schedule.NextNs());
}

TEST(RunScheduleTest, AnEndlessTimeoutIsOne) {
  CountOptions options;
  options.timeout_s = 1e300;
  RunSchedule schedule(options, kStart);
  EXPECT_FALSE(schedule.Take(kStart + 1'000'000'000 * kMs).stop);
}

}  // namespace
}  // namespace prof::collect
