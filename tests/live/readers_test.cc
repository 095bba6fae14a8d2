// Checks what one and several readers record, and what becomes of a recording whose output is
// stuck.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "support/live_test.h"

#include "prof/base/unique_fd.h"

namespace prof::test {
namespace {

// By the words that choose the readers.
class Readers : public LiveTest, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] std::vector<std::string> With(std::vector<std::string> args) const {
    args.insert(args.begin(), {"--readers", GetParam(), "-e", "cpu-clock", "-F", "999", "-g"});
    return args;
  }
};
INSTANTIATE_TEST_SUITE_P(, Readers, ::testing::Values("1", "2", "cpu"),
                         [](const auto& choice) { return std::string(choice.param); });

TEST_P(Readers, GiveWholeStacksAndRightShares) {
  const RecordSummary summary = MustRecord(With({Workload("split"), "1000"}));
  EXPECT_EQ(summary.lost, 0U);
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_P(Readers, TellNamesAndMappingsApartAcrossAnExec) {
  MustRecord(With({Workload("exec_chain"), "600"}));
  const ReportRows rows = Rows("comm,sym");
  EXPECT_NEAR(CommShare(rows, "exec_chain"), 50, 8);
  for (const ReportRow& row : rows) {
    if (row.percent() < 1) continue;
    EXPECT_FALSE(row.IsFunction("before_exec") && row.columns.at("Command") != "exec_chain");
    EXPECT_FALSE(row.IsFunction("after_exec") && row.columns.at("Command") != "second_name");
  }
}

TEST_P(Readers, StopWithTheProcessTheyAreAttachedTo) {
  const RunResult result =
      Shell("\"$WORKLOADS/split\" 1500 & \"$PROF\" record -o \"$DATA\" --readers " +
            std::string(GetParam()) + " -e cpu-clock -F 999 -g -p $!");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_P(Readers, AreToldWhenAsked) {
  const RunResult result = Record(With({"-v", "true"}));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find(std::string(GetParam()) == "1" ? "1 reader and unwinder" : "readers"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("on its CPU") != std::string::npos, std::string(GetParam()) == "cpu");
}

class StuckOutput : public LiveTest {
 protected:
  // Enough for more than a pipe holds (64 KB).
  [[nodiscard]] static std::string Options() {
    return " -e cpu-clock -F 9999 -g --compression-level 0 ";
  }
};

TEST_F(StuckOutput, AReaderThatIsLateGetsEverything) {
  const RunResult result = Shell("\"$PROF\" record -o -" + Options() +
                                 "\"$WORKLOADS/threads8\" 2500 | (sleep 5; cat >late.data)");
  EXPECT_EQ(result.status, 0) << result.err;
  const auto summary = ParseSummary(result.err);
  ASSERT_TRUE(summary.has_value()) << result.err;
  EXPECT_EQ(result.err.find("could not keep up"), std::string::npos) << result.err;
  const RunResult report =
      RunProgram({Prof(), "report", "-i", File("late.data")}, LiveTest::Options());
  EXPECT_NE(report.out.find(": " + std::to_string(summary->samples) + " samples"),
            std::string::npos)
      << summary->samples << report.out.substr(0, 600);
}

TEST_F(StuckOutput, ASecondCtrlCEndsProfAtOnce) {
  ASSERT_EQ(::mkfifo(File("fifo").c_str(), 0600), 0);
  // Held open by somebody who never reads.
  const UniqueFd holder(::open(File("fifo").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(holder.valid());
  RunningProcess prof({"sh", "-c",
                       "exec " + Prof() + " record -o " + File("fifo") + Options() +
                           Workload("threads8") + " 60000"},
                      LiveTest::Options());
  SleepMs(5000);
  prof.SignalGroup(SIGINT);
  SleepMs(1500);
  prof.SignalGroup(SIGINT);
  const RunResult result = prof.Wait();
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 128 + SIGINT) << result.err;
  EXPECT_LT(result.seconds, 30);
}

TEST_F(StuckOutput, AReaderThatGoesAwayEndsTheRecording) {
  const RunResult result = Shell("(\"$PROF\" record -o -" + Options() +
                                 "\"$WORKLOADS/threads8\" 2500; echo status $? >&2) | sleep 2");
  EXPECT_NE(result.err.find("status 125"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("Broken pipe"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace prof::test
