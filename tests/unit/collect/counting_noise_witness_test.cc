// What is read from /proc and /sys, with files that tests put there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collect/counting/noise_witness.h"
#include "collect/counting/thread_usage.h"
#include "support/temp_dir.h"

namespace prof::collect {
namespace {

class Witness : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) const {
    const std::filesystem::path full = folder_.path().string() + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  [[nodiscard]] HostFs fs() const { return HostFs(folder_.path().string()); }
  static std::uint64_t TickNs() {
    return 1'000'000'000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  }

 private:
  test::TempDir folder_;
};

TEST_F(Witness, NothingIsKnownWhereThereIsNothing) {
  const MachineState state = ReadMachineState(fs());
  for (const std::uint64_t value :
       {state.times.busy, state.times.steal, state.cpu_pressure, state.io_pressure,
        state.memory_pressure, RunQueueWaitNs(fs(), 7), MeanFrequencyKhz(fs())}) {
    EXPECT_EQ(value, model::kNotKnown);
  }
  model::RunNoise noise;
  AddMachineNoise(state, state, 5, noise);
  EXPECT_EQ(noise, model::RunNoise{});
}

TEST_F(Witness, BusyIsUserAndSystemWithInterruptsAndWithoutIdleAndSteal) {
  Put("/proc/stat", "cpu  1 2 4 100 200 8 16 32 1 1\ncpu0 1 2 4 100 200 8 16 32 1 1\n");
  const MachineState state = ReadMachineState(fs());
  EXPECT_EQ(state.times.busy, 31 * TickNs());
  EXPECT_EQ(state.times.steal, 32 * TickNs());
}

TEST_F(Witness, MalformedFilesAreNotKnown) {
  Put("/proc/stat", "cpu  1 2 x\n");
  Put("/proc/pressure/cpu", "some avg10=0.00\nfull total=7\n");
  Put("/proc/pressure/io", "none\n");
  Put("/proc/7/schedstat", "12\n");
  const MachineState state = ReadMachineState(fs());
  EXPECT_EQ(state.times.busy, model::kNotKnown);
  EXPECT_EQ(state.cpu_pressure, model::kNotKnown);
  EXPECT_EQ(state.io_pressure, model::kNotKnown);
  EXPECT_EQ(RunQueueWaitNs(fs(), 7), model::kNotKnown);
}

TEST_F(Witness, PressureIsTheTotalOfSome) {
  Put("/proc/pressure/cpu",
      "some avg10=1.00 avg60=2.00 avg300=3.00 total=1234\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
  EXPECT_EQ(ReadMachineState(fs()).cpu_pressure, 1'234'000u);
}

TEST_F(Witness, TheWaitIsTheSecondField) {
  Put("/proc/7/schedstat", "100 2345 6\n");
  EXPECT_EQ(RunQueueWaitNs(fs(), 7), 2345u);
}

TEST_F(Witness, FrequencyIsAMean) {
  Put("/sys/devices/system/cpu/online", "0-1,3\n");
  Put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n");
  Put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
  Put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "3000000\n");
  EXPECT_EQ(MeanFrequencyKhz(fs()), 2'000'000u);
}

TEST_F(Witness, OthersTimeIsWhatTheTargetDidNotUse) {
  const MachineState before{.times = {.busy = 1000, .steal = 10}, .cpu_pressure = 5};
  const MachineState after{.times = {.busy = 5000, .steal = 9}, .cpu_pressure = 25};
  model::RunNoise noise;
  AddMachineNoise(before, after, 1500, noise);
  EXPECT_EQ(noise.other_cpu_ns, 2500u);
  EXPECT_EQ(noise.steal_ns, 0u);  // went backwards
  EXPECT_EQ(noise.cpu_pressure_ns, 20u);
  EXPECT_EQ(noise.io_pressure_ns, model::kNotKnown);
  AddMachineNoise(before, after, 9999, noise);  // ticks are coarse
  EXPECT_EQ(noise.other_cpu_ns, 0u);
  model::RunNoise unknown;
  AddMachineNoise(before, after, model::kNotKnown, unknown);
  EXPECT_EQ(unknown.other_cpu_ns, model::kNotKnown);
}

constexpr const char* kStat =
    "9 (a) b) S 1 9 9 0 -1 4194304 11 22 3 44 5 6 0 0 20 0 1 0 777 1000 2 18446744073709551615\n";

TEST_F(Witness, ThreadStatIsReadBehindTheLastParenthesis) {
  const auto usage = ParseThreadStat(kStat);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->minor_faults, 11u);
  EXPECT_EQ(usage->major_faults, 3u);
  EXPECT_EQ(usage->user_ns, 5 * TickNs());
  EXPECT_EQ(usage->system_ns, 6 * TickNs());
  EXPECT_EQ(usage->start_ticks, 777u);
  EXPECT_FALSE(ParseThreadStat("9 (a) S 1 9"));
  EXPECT_FALSE(ParseThreadStat("9 a S 1 9 9 0 -1"));
  EXPECT_FALSE(ParseThreadStat(""));
}

TEST_F(Witness, ThreadsAreReadFromTheirProcess) {
  Put("/proc/9/status",
      "Name:\ta\nTgid:\t8\nVmHWM:\t    200 kB\nvoluntary_ctxt_switches:\t3\n"
      "nonvoluntary_ctxt_switches:\t4\n");
  Put("/proc/8/task/9/stat", kStat);
  Put("/proc/9/schedstat", "1 50 2\n");
  const pid_t threads[] = {9, 10};
  const UsageByThread usage = ReadThreadUsage(fs(), threads);
  ASSERT_EQ(usage.size(), 1u);
  EXPECT_EQ(usage.at(9).wait_ns, 50u);
  EXPECT_EQ(usage.at(9).voluntary_switches, 3u);
  EXPECT_EQ(usage.at(9).involuntary_switches, 4u);
  EXPECT_EQ(usage.at(9).peak_rss_bytes, 200u * 1024);
}

TEST_F(Witness, OnlyThreadsThatAreThereAtBothEndsCount) {
  const UsageByThread before = {{1, {.start_ticks = 5, .user_ns = 100, .wait_ns = 10}},
                                {2, {.start_ticks = 5, .user_ns = 100, .wait_ns = 1}},
                                {3, {.start_ticks = 5, .user_ns = 100, .wait_ns = 1}},
                                {5, {.start_ticks = 5, .wait_ns = 10}},
                                {6, {.start_ticks = 5}}};
  const UsageByThread after = {
      {1, {.start_ticks = 5, .user_ns = 150, .wait_ns = 17, .peak_rss_bytes = 30}},
      {3, {.start_ticks = 6, .user_ns = 900}},  // the id was used again
      {4, {.start_ticks = 6, .user_ns = 900, .wait_ns = 9}},
      {5, {.start_ticks = 5, .wait_ns = 10}},
      {6, {.start_ticks = 5}}};  // a kernel without schedstat
  model::RunDef run;
  AddThreadUsage(before, after, run);
  EXPECT_EQ(run.user_ns, 50u);
  EXPECT_EQ(run.noise.wait_ns, 7u);
  EXPECT_EQ(run.noise.wait_threads, 2u);
  EXPECT_EQ(run.noise.voluntary_switches, model::kNotKnown);
  EXPECT_EQ(run.max_rss_bytes, 30u);
}

}  // namespace
}  // namespace prof::collect
