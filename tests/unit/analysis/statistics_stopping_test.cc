// When repeating runs stops, and what is forecast until then.
#include <gtest/gtest.h>

#include <limits>

#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/statistics/stopping.h"

namespace prof::analysis::statistics {
namespace {

using test::Random;

TEST(MedianStopping, EqualValuesStopAtTheSecondLook) {
  MedianStopping rule({});
  for (std::size_t run = 1; run <= 12; ++run) {
    EXPECT_EQ(rule.progress().state, StoppingState::kContinue) << run;
    ASSERT_TRUE(rule.Add(7, 1));
  }
  EXPECT_EQ(rule.progress().state, StoppingState::kPrecise);
  EXPECT_EQ(rule.progress().runs, 12U);
  EXPECT_EQ(rule.progress().width, 0);
}

TEST(MedianStopping, TheIntervalIsThereFromTheSixthRunOn) {
  MedianStopping rule({});
  for (const double value : {5, 1, 4, 2, 3}) ASSERT_TRUE(rule.Add(value, 1));
  EXPECT_FALSE(rule.progress().interval || rule.progress().width || rule.progress().runs_needed);
  ASSERT_TRUE(rule.Add(6, 6));
  EXPECT_EQ(rule.progress().interval, (Interval{1, 6}));
  EXPECT_DOUBLE_EQ(rule.progress().width.value(), 5 / 3.5);
  EXPECT_NEAR(rule.progress().runs_needed.value(), 6 * 142.857 * 142.857, 10);
  EXPECT_DOUBLE_EQ(rule.progress().seconds_needed.value(), rule.progress().runs_needed.value());
}

TEST(MedianStopping, HopelessNoiseIsToldEarlyWithTheRunsNeeded) {
  Random random(1);
  MedianStopping rule({.max_seconds = 1000});
  double seconds = 0;
  while (rule.progress().state == StoppingState::kContinue) {
    ASSERT_TRUE(rule.Add(100 + 30 * random.Normal(), ++seconds));
  }
  EXPECT_EQ(rule.progress().state, StoppingState::kHopeless);
  EXPECT_LE(rule.progress().runs, 20U);
  EXPECT_GT(rule.progress().runs_needed.value(), 2000);
}

TEST(MedianStopping, WhatJustFitsIntoTheTimeIsSeldomCalledHopeless) {
  // 1 % noise takes about 30 runs; the time allows 60.
  int hopeless = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    MedianStopping rule({.max_seconds = 60});
    double seconds = 0;
    while (rule.progress().state == StoppingState::kContinue) {
      ASSERT_TRUE(rule.Add(100 + random.Normal(), ++seconds));
    }
    hopeless += rule.progress().state == StoppingState::kHopeless ? 1 : 0;
  }
  EXPECT_LE(hopeless, 4);
}

TEST(MedianStopping, TimeAndRunsEndIt) {
  MedianStopping late({.max_seconds = 3});
  ASSERT_TRUE(late.Add(1, 2));
  EXPECT_EQ(late.progress().state, StoppingState::kContinue);
  ASSERT_TRUE(late.Add(2, 4));
  EXPECT_EQ(late.progress().state, StoppingState::kOutOfTime);
  MedianStopping few({.max_runs = 2});
  ASSERT_TRUE(few.Add(1, 1));
  ASSERT_TRUE(few.Add(2, 2));
  EXPECT_EQ(few.progress().state, StoppingState::kOutOfRuns);
}

TEST(MedianStopping, ValuesAroundZeroAreHopeless) {
  MedianStopping rule({});
  for (int run = 0; run < 12; ++run) ASSERT_TRUE(rule.Add(run % 3 - 1, 1));
  EXPECT_EQ(rule.progress().state, StoppingState::kHopeless);
  EXPECT_FALSE(rule.progress().width);
}

TEST(MedianStopping, WhatIsNoNumberIsRefusedAndLeftOut) {
  MedianStopping rule({});
  EXPECT_FALSE(rule.Add(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_EQ(rule.progress().runs, 0U);
  RatioStopping pairs({});
  EXPECT_FALSE(pairs.Add(1, std::numeric_limits<double>::infinity(), 1));
  EXPECT_EQ(pairs.progress().runs, 0U);
}

TEST(RatioStopping, CountsThatMayBeZeroAreComparedByTheirShift) {
  RatioStopping rule({.precision = 0.5});
  for (int run = 0; run < 12; ++run) ASSERT_TRUE(rule.Add(run == 0 ? 0 : 10, 12, 1));
  EXPECT_EQ(rule.progress().state, StoppingState::kPrecise);
  EXPECT_EQ(rule.progress().interval, (Interval{1.2, 1.2}));
}

}  // namespace
}  // namespace prof::analysis::statistics
