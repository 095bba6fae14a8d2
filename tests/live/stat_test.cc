// `prof stat` as users call it: exit statuses, errors, repeats and comparisons on real commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/live_test.h"

namespace prof::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StatTest : public LiveTest {
 protected:
  RunResult Stat(const std::vector<std::string>& args) const {
    std::vector<std::string> command = {Prof(), "stat"};
    command.insert(command.end(), args.begin(), args.end());
    return RunProgram(command, Options());
  }
  [[nodiscard]] std::string TextOf(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(File(name)).rdbuf();
    return text.str();
  }
};

TEST_F(StatTest, TheStatusIsTheCommands) {
  EXPECT_EQ(Stat({"true"}).status, 0);
  EXPECT_EQ(Stat({"sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(Stat({"sh", "-c", "kill -SEGV $$"}).status, 128 + SIGSEGV);
  EXPECT_EQ(Stat({"no-such-command"}).status, 127);
  EXPECT_EQ(Stat({"/"}).status, 126);
  EXPECT_EQ(Stat({"-e", "no-such-event", "true"}).status, 125);
}

TEST_F(StatTest, CountsGoToStderrAndTheOutputStaysClean) {
  const RunResult result = Stat({"-e", "page-faults", "echo", "hello"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_THAT(result.err, HasSubstr("page-faults"));
  EXPECT_THAT(result.err, HasSubstr("elapsed"));
}

TEST_F(StatTest, QuietPrintsNothingButTheFile) {
  const RunResult result =
      Stat({"-q", "-x,", "-o", File("counts.csv"), "-e", "page-faults", "true"});
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(TextOf("counts.csv"), StartsWith("# started on "));
  EXPECT_THAT(TextOf("counts.csv"), HasSubstr(",page-faults,"));
}

TEST_F(StatTest, ErrorsComeBeforeAnythingRuns) {
  const std::string marker = File("ran");
  const RunResult missing =
      Stat({"--vs", "no-such-command", "--prepare", "touch " + marker, "--", "true"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_THAT(missing.err, StartsWith("prof stat: --vs: no-such-command: command not found\n"));
  const RunResult unwritable = Stat({"-o", "/no/such/folder/x", "touch", marker});
  EXPECT_EQ(unwritable.status, 125);
  EXPECT_THAT(unwritable.err, HasSubstr("cannot write /no/such/folder/x"));
  EXPECT_NE(RunProgram({"test", "-e", marker}).status, 0);
}

TEST_F(StatTest, AFullDiskIsAnError) {
  const RunResult result = Stat({"-j", "-o", "/dev/full", "true"});
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST_F(StatTest, MessagesDoNotEndUpInTheResultsWhereStandardErrorIsClosed) {
  const std::string command = "test -e /proc/$$/fd/2 && echo open; exit 3";
  const RunResult result = RunProgram(
      {"sh", "-c", Prof() + " stat -n -r 2 -o " + File("counts") + " sh -c '" + command + "' 2>&-"},
      Options());
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "") << "closed for the command, too";
  EXPECT_THAT(TextOf("counts"), StartsWith("# started on "));
  EXPECT_THAT(TextOf("counts"), Not(HasSubstr("exited with status 3")));
}

TEST_F(StatTest, AReaderThatLeavesIsNoError) {
  const RunResult result = RunProgram(
      {"sh", "-c", "{ { " + Prof() + " stat -r 3 true; echo $? >&3; } 2>&1 | true; } 3>&1"},
      Options());
  EXPECT_EQ(result.out, "0\n");
}

TEST_F(StatTest, RepeatsAreSummarized) {
  const RunResult result = Stat({"-r", "5", "--table", "-e", "page-faults", "true"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("5 runs"));
  EXPECT_THAT(result.err, HasSubstr("page-faults"));
}

TEST_F(StatTest, ARunThatFailsIsNamedAfterTheResultsSoFar) {
  const std::string count = File("count");
  const std::string script = "echo x >> " + count + "; test $(wc -l < " + count + ") -lt 3";
  const RunResult result = Stat({"-r", "10", "-e", "page-faults", "sh", "-c", script});
  EXPECT_EQ(result.status, 1);
  const std::size_t results = result.err.find("page-faults");
  const std::size_t error = result.err.find("prof stat: run 3 of ");
  ASSERT_NE(results, std::string::npos) << result.err;
  ASSERT_NE(error, std::string::npos) << result.err;
  EXPECT_LT(results, error);
  EXPECT_THAT(result.err, HasSubstr("2 runs"));
  EXPECT_THAT(result.err, HasSubstr("exited with status 1"));
}

TEST_F(StatTest, ASlowerCommandIsFound) {
  const RunResult slower =
      Stat({"-n", "-r", "6", "--fail-if-slower", "10", "--vs", "sleep 0.02", "--", "sleep", "0.2"});
  EXPECT_EQ(slower.status, 1) << slower.err;
  EXPECT_THAT(slower.err, HasSubstr("slower by"));
  EXPECT_THAT(slower.err, HasSubstr("--fail-if-slower 10"));
  const RunResult faster =
      Stat({"-n", "-r", "6", "--fail-if-slower", "10", "--vs", "sleep 0.2", "--", "sleep", "0.02"});
  EXPECT_EQ(faster.status, 0) << faster.err;
  EXPECT_THAT(faster.err, HasSubstr("faster by"));
}

TEST_F(StatTest, AMetricOfTheOutputIsRead) {
  const RunResult result = Stat(
      {"-n", "-r", "3", "--metric", "fps=([0-9.]+) fps", "printf", "warm 1 fps\\n61.5 fps\\n"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "warm 1 fps\n61.5 fps\nwarm 1 fps\n61.5 fps\nwarm 1 fps\n61.5 fps\n");
  EXPECT_THAT(result.err, HasSubstr("61.5"));
  const RunResult missing = Stat({"-n", "-r", "3", "--metric", "fps=([0-9.]+) fps", "true"});
  EXPECT_EQ(missing.status, 125);
  EXPECT_THAT(missing.err, HasSubstr("no number matches '([0-9.]+) fps' in the output of run 1"));
}

TEST_F(StatTest, ForeverEndsWithAnInterrupt) {
  std::vector<std::string> command = {Prof(), "stat", "-r", "0", "-n", "sleep", "0.02"};
  RunningProcess running(command, Options());
  SleepMs(700);
  running.SignalGroup(SIGINT);
  const RunResult result = running.Wait();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("elapsed"));
}

TEST_F(StatTest, AnInterruptedRunShowsItsCounts) {
  RunningProcess running({Prof(), "stat", "-e", "page-faults", "sleep", "20"}, Options());
  SleepMs(400);
  running.SignalGroup(SIGINT);
  const RunResult result = running.Wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_LT(result.seconds, 10);
  EXPECT_THAT(result.err, HasSubstr("page-faults"));
}

TEST_F(StatTest, IntervalsAreDifferences) {
  const RunResult result =
      Stat({"-x,", "-I", "50", "-e", "page-faults", "sh", "-c", "sleep 0.12; true"});
  EXPECT_EQ(result.status, 0);
  EXPECT_GE(std::ranges::count(result.err, '\n'), 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("page-faults"));
}

TEST_F(StatTest, ATimeoutEndsTheCommandWithoutBlame) {
  const RunResult result = Stat({"-e", "page-faults", "--timeout", "100", "sleep", "20"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.seconds, 10);
  EXPECT_THAT(result.err, HasSubstr("page-faults"));
}

TEST_F(StatTest, AnOrdinaryUserIsServedToo) {
  if (!IsRoot()) GTEST_SKIP() << "needs root to become another user";
  BecomeUser();
  const RunResult result = Stat({"-r", "2", "true"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("elapsed"));
}

TEST_F(StatTest, WhatIsSavedIsAProfile) {
  const RunResult result = Stat({"-q", "--save", File("runs.prof"), "-r", "2", "true"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(TextOf("runs.prof"), Not(""));
  EXPECT_EQ(Stat({"-q", "--save", File("runs.prof"), "true"}).status, 0);
  EXPECT_THAT(TextOf("runs.prof.old"), Not(""));
}

}  // namespace
}  // namespace prof::test
