// `prof stat` where it may not count, and where it is asked for what cannot be done: what can be
// had still comes, and one line says what went wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "support/live_test.h"
#include "support/stat_lines.h"

namespace prof::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StatLimits : public LiveTest {
 protected:
  RunResult Stat(const std::vector<std::string>& args) const {
    return RunStat(Prof(), args, Options());
  }
  // prof stat ARGS... without perf_event_open(2)
  RunResult BlockedStat(const std::vector<std::string>& args) const {
    std::vector<std::string> command = {Workload("without_perf"), Prof(), "stat"};
    command.insert(command.end(), args.begin(), args.end());
    return RunProgram(command, Options());
  }
};

TEST_F(StatLimits, AUserSeesUserOnlyCountsAndIsTold) {
  if (!IsRoot()) GTEST_SKIP() << "needs root to become another user";
  int paranoid = 0;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  if (paranoid != 2) GTEST_SKIP() << "kernel.perf_event_paranoid is " << paranoid << ", not 2";
  BecomeUser();
  const RunResult result = Stat({"true"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("page-faults:u"));
  EXPECT_THAT(result.err, HasSubstr("counted in user space only: kernel.perf_event_paranoid is 2"));
  EXPECT_THAT(result.err, HasSubstr("not counted here: context-switches, cpu-migrations"));
  EXPECT_THAT(result.err, HasSubstr("seconds user"));
}

TEST_F(StatLimits, WithoutPerfTimesAndWitnessesStillCome) {
  const RunResult text = BlockedStat({Workload("countable"), "0", "2000", "20"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.err, HasSubstr("seconds time elapsed"));
  EXPECT_THAT(text.err, HasSubstr("seconds user"));
  EXPECT_THAT(text.err, HasSubstr("not counted here: task-clock, context-switches"));
  EXPECT_THAT(text.err, HasSubstr("a container or a security policy forbids it"));
  const RunResult csv = BlockedStat({"-x,", Workload("countable"), "0", "2000", "20"});
  EXPECT_GE(ValueOf(csv.err, "prof:minor-faults").value_or(0), 2000);
  EXPECT_GE(ValueOf(csv.err, "prof:voluntary-switches").value_or(0), 20);
  EXPECT_GE(ValueOf(csv.err, "duration_time").value_or(0), 20e6);
  EXPECT_EQ(BlockedStat({"sh", "-c", "kill -TERM $$"}).status, 143);
}

TEST_F(StatLimits, WithoutPerfCommandsAreCompared) {
  const RunResult result =
      BlockedStat({"-r", "6", "--fail-if-slower", "10", "--vs", "sleep 0.01", "sleep", "0.2"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("slower by"));
}

TEST_F(StatLimits, AnErrorIsOneLineAndAHint) {
  struct {
    std::vector<std::string> args;
    int status;
    std::string message;
  } const cases[] = {
      {{"-e", "page-faults,no-such-event", "true"}, 125, "unknown event 'no-such-event'"},
      {{"--vs", "no-such-command", "--", "true"}, 127, "--vs: no-such-command: command not found"},
      {{"no-such-command"}, 127, "no-such-command: command not found"},
      {{"-r", "-1", "true"}, 125, "-r: '-1' is neither a number of runs nor auto"},
      {{"-o", "/no/such/folder/f", "true"}, 125, "cannot write /no/such/folder/f"},
      {{"--save", "/no/such/folder/f", "true"}, 125, "cannot write /no/such/folder/f"},
      {{"-p", "999999999"}, 125, "no process with id 999999999"},
      {{"-C", "9999", "true"}, 125, "CPU 9999 is not online"},
      {{"--prepare", "exit 4", "true"}, 125, "--prepare 'exit 4' exited with status 4"},
      {{"-n", "--metric", "t=([0-9]+)", "true"}, 125, "no number matches '([0-9]+)'"},
  };
  for (const auto& [args, status, message] : cases) {
    const RunResult result = Stat(args);
    EXPECT_EQ(result.status, status) << result.err;
    const auto lines = LinesOf(result.err);
    ASSERT_EQ(lines.size(), 2u) << result.err;
    EXPECT_THAT(lines[0], StartsWith("prof stat: "));
    EXPECT_THAT(lines[0], HasSubstr(message));
    EXPECT_THAT(lines[1], StartsWith("hint: "));
  }
}

// The third run prints no number.
TEST_F(StatLimits, AMetricMissingInSomeRunEndsAfterTheResultsSoFar) {
  const std::string log = File("log");
  const std::string script =
      "echo x >> " + log + "; test $(wc -l < " + log + ") -eq 3 || echo fps=60";
  const RunResult result = Stat({"-n", "-r", "10", "--metric", "fps=([0-9]+)", "sh", "-c", script});
  EXPECT_EQ(result.status, 125);
  const std::size_t results = result.err.find("(2 runs)");
  const std::size_t error = result.err.find("prof stat: --metric: no number matches ");
  ASSERT_NE(results, std::string::npos) << result.err;
  ASSERT_NE(error, std::string::npos) << result.err;
  EXPECT_LT(results, error);
  EXPECT_THAT(result.err.substr(error), HasSubstr("run 3"));
  EXPECT_THAT(result.err.substr(error), HasSubstr("\nhint: "));
}

TEST_F(StatLimits, ASideThatFailsIsNamed) {
  const RunResult result = Stat({"-n", "-r", "5", "--vs", "sh -c 'exit 9'", "--", "true"});
  EXPECT_EQ(result.status, 9);
  EXPECT_THAT(result.err, HasSubstr("exit 9"));
  EXPECT_THAT(result.err, HasSubstr("exited with status 9"));
  EXPECT_THAT(result.err, Not(HasSubstr("faster")));
}

}  // namespace
}  // namespace prof::test
