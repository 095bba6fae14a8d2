// Checks how a recording starts and ends: exit statuses, signals, delays, durations, a killed
// recorder.
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Control : public LiveTest {
 protected:
  // OPTIONS and a script that writes the pid it will keep to the file "pid" and becomes the
  // command.
  [[nodiscard]] std::vector<std::string> Announcing(std::vector<std::string> options,
                                                    const std::string& before,
                                                    const std::string& command) const {
    options.insert(options.end(),
                   {"sh", "-c", before + " echo $$ > " + File("pid") + "; exec " + command});
    return options;
  }
  pid_t AwaitPid() const { return std::atoi(AwaitText(File("pid")).c_str()); }
};

// Runs or sleeps: a process that nobody has reaped yet is not alive.
bool IsAlive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

TEST_F(Control, PassesTheExitStatusOn) {
  EXPECT_EQ(Record({"-e", "cpu-clock", "sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(Record({"-e", "cpu-clock", "sh", "-c", "kill -KILL $$"}).status, 137);
}

TEST_F(Control, PassesTheExitStatusOnWhereChildrenAreReapedUnseen) {
  const RunResult result = RunProgram({"env", "--ignore-signal=CHLD", Prof(), "record", "-o",
                                       Data(), "-e", "cpu-clock", "sh", "-c", "exit 7"},
                                      Options());
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 7) << result.err;
}

TEST_F(Control, LeavesTheOptionsOfTheCommandAlone) {
  const RunResult result =
      Record({"-e", "cpu-clock", "-F", "99", "-g", "echo", "-n", "--help", "-F"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "--help -F");
}

TEST_F(Control, SaysNotFoundWith127AndWritesNothing) {
  const RunResult result = Record({"-e", "cpu-clock", "no-such-command-of-ours"});
  EXPECT_EQ(result.status, 127);
  EXPECT_NE(result.err.find("no-such-command-of-ours"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Control, SaysNotExecutableWith126AndWritesNothing) {
  std::ofstream(File("plain.txt")) << "text\n";
  const RunResult result = Record({"-e", "cpu-clock", File("plain.txt")});
  EXPECT_EQ(result.status, 126);
  EXPECT_NE(result.err.find("plain.txt"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Control, AsksForATargetWhenThereIsNone) {
  const RunResult result = Record({"-e", "cpu-clock"});
  EXPECT_EQ(result.status, 125);
  EXPECT_NE(result.err.find("hint:"), std::string::npos) << result.err;
}

TEST_F(Control, LeavesAReadableFileAfterCtrlC) {
  RunningProcess prof(RecordCommand(Announcing({"-e", "cpu-clock", "-F", "999", "-g"}, "",
                                               Workload("split") + " 60000")),
                      Options());
  ASSERT_GT(AwaitPid(), 0);
  SleepMs(1000);
  prof.SignalGroup(SIGINT);  // as a terminal does it
  const RunResult result = prof.Wait();
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 128 + SIGINT) << result.err;
  EXPECT_TRUE(ParseSummary(result.err).has_value()) << result.err;
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 10);
}

TEST_F(Control, LeavesAtOnceOnASecondCtrlCWithTheTargetAlive) {
  RunningProcess prof(RecordCommand(Announcing({"-e", "cpu-clock"}, "trap '' INT;",
                                               Workload("sleeper") + " 60000")),
                      Options());
  const pid_t target = AwaitPid();
  ASSERT_GT(target, 0);
  SleepMs(700);
  prof.SignalGroup(SIGINT);
  SleepMs(1000);
  prof.SignalGroup(SIGINT);
  const RunResult result = prof.Wait();
  EXPECT_FALSE(result.timed_out);
  EXPECT_LT(result.seconds, 30);
  SleepMs(200);
  EXPECT_TRUE(IsAlive(target));
  ::kill(target, SIGKILL);
}

TEST_F(Control, ForwardsSigtermToTheCommand) {
  RunningProcess prof(
      RecordCommand({"-e", "cpu-clock", "-F", "199", "sh", "-c",
                     "trap 'exit 9' TERM; echo $$ > " + File("pid") + "; while :; do :; done"}),
      Options());
  ASSERT_GT(AwaitPid(), 0);
  SleepMs(700);
  prof.Signal(SIGTERM);
  const RunResult result = prof.Wait();
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 9) << result.err;
  EXPECT_EQ(Report({}).status, 0);
}

TEST_F(Control, StopsAfterTheDurationAndLetsTheTargetGoOn) {
  const auto args = Announcing({"-e", "cpu-clock", "-F", "999", "--duration", "0.5"}, "",
                               Workload("split") + " 60000");
  const RunResult result = Record(args);
  const pid_t target = std::atoi(AwaitText(File("pid")).c_str());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.seconds, 20);
  SleepMs(200);  // long enough to die of a signal
  EXPECT_TRUE(IsAlive(target));
  ::kill(target, SIGKILL);
  const auto summary = ParseSummary(result.err);
  ASSERT_TRUE(summary.has_value()) << result.err;
  EXPECT_NEAR(summary->seconds, 0.5, 0.3);
  EXPECT_LE(summary->samples, 700U);
}

TEST_F(Control, NeverEndsTheTargetWhenTheDurationIsOver) {
  EXPECT_EQ(Shell("$PROF record -q -o $DATA --duration 0.2 sh -c 'sleep 1; echo done > " +
                  File("survived") + "'")
                .status,
            0);
  EXPECT_EQ(AwaitText(File("survived")), "done\n");
}

TEST_F(Control, LeavesTheCommandItsLimitOfOpenFiles) {
  const RunResult result =
      Shell("ulimit -Sn 100; $PROF record -q -o $DATA sh -c 'ulimit -Sn; true'");
  EXPECT_EQ(result.out, "100\n") << result.err;
}

TEST_F(Control, DelaysSamplesButKnowsWhatHappenedBefore) {
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "-D", "500", Workload("split"), "1500"});
  EXPECT_LE(summary.samples, 1400U);
  EXPECT_GE(summary.samples, 100U);
  const ReportRows rows = Rows("comm,sym");
  EXPECT_GE(CommShare(rows, "split"), 95);
  EXPECT_NEAR(HotShare(rows), 80, 8);
}

TEST_F(Control, NeverTakesTheTargetAlongWhenItIsKilled) {
  const auto args =
      Announcing({"-e", "cpu-clock", "-F", "999", "-g"}, "", Workload("split") + " 60000");
  RunningProcess prof(RecordCommand(args), Options());
  const pid_t target = AwaitPid();
  ASSERT_GT(target, 0);
  SleepMs(2500);
  prof.Signal(SIGKILL);
  EXPECT_EQ(prof.Wait().status, 137);
  SleepMs(200);
  EXPECT_TRUE(IsAlive(target));
  ::kill(target, SIGKILL);
  const RunResult report = Report({});
  EXPECT_EQ(report.status, 0) << report.err;
}

TEST_F(Control, SaysNothingWhenQuiet) {
  const RunResult result = Record({"-e", "cpu-clock", "-q", Workload("split"), "100"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(Control, TellsHowTheRecordingIsSetUpWhenAsked) {
  const RunResult result = Record({"-e", "cpu-clock", "-g", "-v", Workload("split"), "100"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("cpu-clock"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("stack dumps of"), std::string::npos) << result.err;
}

TEST_F(Control, GivesTheFileToTheUserBehindSudo) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  RunOptions options = Options();
  options.environment.insert(options.environment.end(),
                             {{"SUDO_UID", "65534"}, {"SUDO_GID", "65533"}});
  const RunResult result = RunProgram(RecordCommand({"-e", "cpu-clock", "true"}), options);
  EXPECT_EQ(result.status, 0) << result.err;
  struct stat status = {};
  ASSERT_EQ(::stat(Data().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534U);
  EXPECT_EQ(status.st_gid, 65533U);
}

}  // namespace
}  // namespace prof::test
