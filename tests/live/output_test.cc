// Checks what becomes of the file: pipes, rotation, cut files, full disks, foreign files, readers
// that go away.
#include <filesystem>
#include <fstream>

#include "support/live_test.h"

namespace prof::test {
namespace {

namespace fs = std::filesystem;

class Output : public LiveTest {
 protected:
  void RecordSplit() const {
    MustRecord({"-e", "cpu-clock", "-F", "999", "-g", Workload("split"), "500"});
  }
};

TEST_F(Output, StreamsThroughAPipe) {
  const RunResult result = Shell(
      "\"$PROF\" record -o - -e cpu-clock -F 999 -g \"$WORKLOADS/sleeper\" 10 | \"$PROF\" report "
      "-i - >sleeper.txt;"
      "\"$PROF\" record -o - -e cpu-clock -F 999 -g sh -c '\"$WORKLOADS/split\" 700 >&2' |"
      "\"$PROF\" report -i - --no-children -g none -t '|' -s sym");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(HotShare(ParseRows(result.out)), 80, 8) << result.out << result.err;
}

TEST_F(Output, KeepsTheOldFile) {
  const std::string record = "\"$PROF\" record -e cpu-clock -F 199 sh -c 'exit 0'";
  EXPECT_EQ(Shell(record).status, 0);
  EXPECT_FALSE(fs::exists(File("prof.data.old")));
  EXPECT_EQ(Shell("cp prof.data first && " + record).status, 0);
  EXPECT_EQ(Shell("cmp first prof.data.old").status, 0);
  EXPECT_EQ(Shell("\"$PROF\" report --header -i prof.data").status, 0);
}

TEST_F(Output, NamesAPathThatCannotBeWritten) {
  const RunResult result = RunProgram(
      {Prof(), "record", "-e", "cpu-clock", "-o", File("none/prof.data"), "true"}, Options());
  EXPECT_EQ(result.status, 125);
  EXPECT_NE(result.err.find("none/prof.data"), std::string::npos) << result.err;
}

TEST_F(Output, SaysThatStdoutIsFull) {
  const RunResult result = Shell(
      "\"$PROF\" record -o - -e cpu-clock -F 999 sh -c '\"$WORKLOADS/split\" 300 >&2' >/dev/full");
  EXPECT_EQ(result.status, 125) << result.err;
  EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
}

TEST_F(Output, LeavesAFileThatOpensWhenTheDiskIsFull) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  fs::create_directory(File("small"));
  const RunResult mounted = Shell("unshare -m sh -c 'mount -t tmpfs -o size=16k none small'");
  if (mounted.status != 0) GTEST_SKIP() << "may not mount: " << mounted.err;
  const RunResult result = Shell(
      "unshare -m sh -c 'mount -t tmpfs -o size=16k none small;"
      "\"$PROF\" record -o small/prof.data -e cpu-clock -F 9999 -g \"$WORKLOADS/threads8\" 4000;"
      "echo status $?; \"$PROF\" report -i small/prof.data; echo status $?'");
  EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("status 125"), std::string::npos) << result.out << result.err;
  EXPECT_NE(result.out.find("status 0"), std::string::npos) << result.out << result.err;
}

TEST_F(Output, OpensFilesCutAnywhere) {
  RecordSplit();
  fs::copy(Data(), File("whole"));
  const auto size = fs::file_size(Data());
  for (const int percent : {1, 10, 30, 50, 70, 90, 99}) {
    fs::copy(File("whole"), Data(), fs::copy_options::overwrite_existing);
    fs::resize_file(Data(), size * static_cast<unsigned>(percent) / 100);
    const RunResult report = Report({});
    EXPECT_FALSE(report.timed_out);
    EXPECT_LT(report.status, 126) << percent << " %: " << report.err;
    EXPECT_FALSE(report.out.empty() && report.err.empty()) << percent << " %";
    if (percent == 99) {
      EXPECT_EQ(report.status, 0) << report.err;
      EXPECT_NE(report.out.find("hot_part"), std::string::npos) << report.out;
    }
  }
}

TEST_F(Output, SurvivesDamagedBytes) {
  RecordSplit();
  fs::copy(Data(), File("whole"));
  const auto size = fs::file_size(Data());
  for (const unsigned percent : {5U, 20U, 50U, 80U, 95U}) {
    fs::copy(File("whole"), Data(), fs::copy_options::overwrite_existing);
    std::fstream file(Data(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size * percent / 100));
    file << "damage";
    file.close();
    const RunResult report = Report({});
    EXPECT_LT(report.status, 126) << percent << " %: " << report.err;
    EXPECT_NE(report.out + report.err, "") << percent << " %";
  }
}

TEST_F(Output, CompressesAsAsked) {
  for (const char* level : {"0", "9"}) {
    MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "--compression-level", level,
                Workload("split"), "300"});
    EXPECT_NEAR(HotShare(Rows("sym")), 80, 12) << level;
  }
  EXPECT_EQ(Record({"-e", "cpu-clock", "-z", Workload("split"), "50"}).status, 0);
}

TEST_F(Output, TellsForeignFilesApart) {
  std::ofstream(File("prof.data")) << "PERFILE2" << std::string(200, '\0');
  const RunResult perf = Report({});
  EXPECT_EQ(perf.status, 125);
  EXPECT_NE(perf.err.find("perf"), std::string::npos) << perf.err;
  std::ofstream(File("prof.data")) << "some text that is no profile\n";
  const RunResult text = Report({});
  EXPECT_EQ(text.status, 125);
  EXPECT_NE(text.err.find("prof.data"), std::string::npos) << text.err;
  fs::remove(Data());
  const RunResult none = Report({});
  EXPECT_EQ(none.status, 125);
  EXPECT_NE(none.err.find("prof.data"), std::string::npos) << none.err;
}

TEST_F(Output, FindsSymbolsLaterWhenNoneWereRecorded) {
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "--no-symbols", Workload("split"), "500"});
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_F(Output, NeedsTheProgramNoMoreOnceRecorded) {
  fs::copy(Workload("split"), File("gone"));
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("gone"), "500"});
  fs::remove(File("gone"));
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_F(Output, RefusesSymbolsOfAProgramReplacedSince) {
  fs::copy(Workload("split"), File("program"));
  MustRecord({"-e", "cpu-clock", "-F", "999", "--no-symbols", File("program"), "300"});
  fs::copy(Workload("recursion"), File("program"), fs::copy_options::overwrite_existing);
  const ReportRows rows = Rows("sym");
  EXPECT_EQ(FunctionShare(rows, "hot_part"), 0);
  for (const char* wrong : {"bottom", "descend", "main"})
    EXPECT_EQ(FunctionShare(rows, wrong), 0) << wrong;
}

TEST_F(Output, IsQuietWhenTheReaderGoesAway) {
  RecordSplit();
  const RunResult result = Shell("\"$PROF\" report -i \"$DATA\" | head -1");
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(result.out.empty());
}

TEST_F(Output, FitsANarrowTerminal) {
  RecordSplit();
  RunOptions options = Options();
  options.environment.push_back({"COLUMNS", "40"});
  const RunResult result = RunProgram({Prof(), "report", "-i", Data()}, options);
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace prof::test
