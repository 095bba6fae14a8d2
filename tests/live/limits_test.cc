// Checks what happens at the limits that the system sets: permissions, locked memory, open files.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Limits : public LiveTest {
 protected:
  // Fails as prof fails: status 125, one line that has `what`, one hint, no file.
  void ExpectRefused(const RunResult& result, const std::string& what) const {
    EXPECT_EQ(result.status, 125) << result.err;
    EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("\nhint: "), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(Data()));
  }
};

class UserLimits : public Limits {
 protected:
  void SetUp() override {
    Limits::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = WhyNoSampling(IsRoot()); !reason.empty()) GTEST_SKIP() << reason;
    BecomeUser();
  }
  static int Setting(const std::string& name) {
    int value = 0;
    std::ifstream("/proc/sys/kernel/" + name) >> value;
    return value;
  }
};

TEST_F(Limits, NamesTheLimitOfOpenFiles) {
  ExpectRefused(Shell("ulimit -n 10; exec \"$PROF\" record -o \"$DATA\" -e cpu-clock true"),
                "oo many open files");
}

TEST_F(Limits, RaisesTheLimitOfOpenFilesForItselfAndNotForTheTarget) {
  const RunResult result = Shell(
      "ulimit -Sn 16; exec \"$PROF\" record -o \"$DATA\" -e "
      "cpu-clock,task-clock,page-faults,minor-faults,major-faults sh -c 'ulimit -Sn'");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "16\n");
}

TEST_F(UserLimits, ShrinksRingsAndStackCopiesToTheLockedMemoryLimit) {
  if (Setting("perf_event_mlock_kb") > 1024) GTEST_SKIP() << "perf_event_mlock_kb is large here";
  const RunResult result = Shell(
      "ulimit -l 0; exec \"$PROF\" record -o \"$DATA\" -e cpu-clock -F 999 -g "
      "\"$WORKLOADS/split\" 700");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("stack dumps shrunk"), std::string::npos) << result.err;
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 10);
}

TEST_F(UserLimits, DoesNotShrinkARingOfTheSizeAskedFor) {
  ExpectRefused(Shell("ulimit -l 0; exec \"$PROF\" record -o \"$DATA\" -e cpu-clock -m 64M true"),
                "locked memory");
}

TEST_F(UserLimits, LeavesTheKernelOutAndSaysSo) {
  if (Setting("perf_event_paranoid") < 2) GTEST_SKIP() << "users may sample the kernel here";
  const RunResult result = Record({"-e", "cpu-clock", Workload("split"), "300"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("the kernel is not permitted"), std::string::npos) << result.err;
  EXPECT_NE(Report({}).out.find("not permitted"), std::string::npos);
}

TEST_F(UserLimits, RefusesEventsOfTheKernelOnly) {
  if (Setting("perf_event_paranoid") < 2) GTEST_SKIP() << "users may sample the kernel here";
  ExpectRefused(Record({"-e", "cpu-clock:k", "true"}), "not permitted");
  ExpectRefused(Record({"-e", "cpu-clock", "--all-kernel", "true"}), "not permitted");
}

TEST_F(UserLimits, NamesTracefsThatCannotBeRead) {
  if (::access("/sys/kernel/tracing/events", R_OK | X_OK) == 0 && !IsRoot())
    GTEST_SKIP() << "tracefs is open to everybody here";
  const RunResult result = Record({"-e", "sched:sched_switch", "true"});
  if (result.status == 0) GTEST_SKIP() << "users may read tracepoints here";
  ExpectRefused(result, "sched:sched_switch");
}

TEST_F(UserLimits, RefusesProcessesOfOthers) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  ExpectRefused(Record({"-e", "cpu-clock", "-p", std::to_string(::getpid())}),
                std::to_string(::getpid()));
}

TEST_F(Limits, CountsWhatASmallRingLost) {
  const RunResult result = Record({"-e", "cpu-clock", "-F", "max", "--call-graph", "dwarf,65528",
                                   "-m", "128K", Workload("threads8"), "1500"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto summary = ParseSummary(result.err);
  ASSERT_TRUE(summary.has_value()) << result.err;
  const std::string lost = std::to_string(summary->lost);
  if (summary->lost == 0) GTEST_SKIP() << "the reader was quick enough";
  EXPECT_NE(Report({}).out.find("Total Lost Samples: " + lost), std::string::npos) << result.err;
}

}  // namespace
}  // namespace prof::test
