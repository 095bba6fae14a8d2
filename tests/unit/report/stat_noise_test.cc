#include "report/stat_noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StatNoiseTest, WhatIsNotKnownIsNotSaid) {
  const NoiseWords words = DescribeNoise({}, 1);
  EXPECT_THAT(words.some, IsEmpty());
  EXPECT_THAT(words.none, IsEmpty());
  EXPECT_THAT(KnownWitnesses({}, 1), IsEmpty());
}

TEST(StatNoiseTest, WhatHappenedHasANumber) {
  model::RunNoise noise;
  noise.wait_ns = 410'000'000;
  noise.involuntary_switches = 1;
  noise.migrations = 1063;
  noise.major_faults = 0;
  noise.block_reads = 4096;
  noise.steal_ns = 0;
  noise.other_cpu_ns = 500'000'000;
  noise.io_pressure_ns = 240'000'000;
  const NoiseWords words = DescribeNoise(noise, 2);
  EXPECT_THAT(words.some,
              ElementsAre("waited 0.41 s for a CPU", "1 involuntary switch", "1,063 migrations",
                          "2.1 MB read from disks", "other programs used 0.25 CPUs",
                          "tasks short of I/O in 12 % of the time"));
  EXPECT_THAT(words.none, ElementsAre("no major faults", "nothing taken by the hypervisor"));
}

TEST(StatNoiseTest, SeveralThreadsWaitTogether) {
  model::RunNoise noise;
  noise.wait_ns = 7'430'000'000;
  noise.wait_threads = 1200;
  EXPECT_THAT(DescribeNoise(noise, 1).some, ElementsAre("1,200 threads waited 7.43 s for a CPU"));
  ASSERT_EQ(KnownWitnesses(noise, 1).size(), 2U);
  EXPECT_STREQ(KnownWitnesses(noise, 1)[1].name, "wait-threads");
  EXPECT_EQ(KnownWitnesses(noise, 1)[1].value, 1200U);
  noise.wait_threads = 1;
  EXPECT_THAT(DescribeNoise(noise, 1).some, ElementsAre("waited 7.43 s for a CPU"));
  EXPECT_EQ(KnownWitnesses(noise, 1).size(), 1U);
}

TEST(StatNoiseTest, NothingIsSharedOutOverNoTime) {
  model::RunNoise noise;
  noise.other_cpu_ns = 5;
  noise.cpu_pressure_ns = 5;
  const NoiseWords words = DescribeNoise(noise, 0);
  EXPECT_THAT(words.some, IsEmpty());
  EXPECT_THAT(words.none, IsEmpty());
}

TEST(StatNoiseTest, SmallSharesOfTheMachineAreNothing) {
  model::RunNoise noise;
  noise.other_cpu_ns = 4'000'000;
  noise.memory_pressure_ns = 4'000'000;
  const NoiseWords words = DescribeNoise(noise, 1);
  EXPECT_THAT(words.some, IsEmpty());
  EXPECT_THAT(words.none, ElementsAre("other programs idle"));
}

TEST(StatNoiseTest, FrequenciesDoNotAddUp) {
  model::RunNoise noise;
  noise.frequency_khz = 3'200'000;
  ASSERT_EQ(KnownWitnesses(noise, 1).size(), 1U);
  EXPECT_STREQ(KnownWitnesses(noise, 1)[0].name, "frequency");
  EXPECT_THAT(KnownWitnesses(noise, 2), IsEmpty());
}

}  // namespace
}  // namespace prof::report
