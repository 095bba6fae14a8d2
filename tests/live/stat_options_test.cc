// What the options of `prof stat` do to real commands, processes and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/live_test.h"
#include "support/stat_lines.h"

namespace prof::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::Optional;

class StatOptions : public LiveTest {
 protected:
  RunResult Stat(const std::vector<std::string>& args) const {
    return RunStat(Prof(), args, Options());
  }
  [[nodiscard]] std::string TextOf(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(File(name)).rdbuf();
    return text.str();
  }
  // A command that appends `word` to the file `log`.
  [[nodiscard]] std::string Note(const std::string& word) const {
    return "echo " + word + " >> " + File("log");
  }
};

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_F(StatOptions, RunningProcessesAndThreadsAreCounted) {
  RunningProcess target({Workload("countable"), "0", "0", "0", "100000"}, Options());
  for (const char* option : {"-p", "-t"}) {
    const RunResult result =
        Stat({"-x,", "-e", "task-clock", option, std::to_string(target.pid()), "sleep", "0.3"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(ValueOf(result.err, "task-clock"), Optional(Gt(1))) << option << result.err;
  }
  const RunResult threads = Stat({"-x,", "-e", "task-clock", "--per-thread", "-p",
                                  std::to_string(target.pid()), "sleep", "0.1"});
  EXPECT_THAT(threads.err, HasSubstr("countable-" + std::to_string(target.pid()) + ","));
}

TEST_F(StatOptions, WholeCpusAreCounted) {
  if (!IsRoot()) GTEST_SKIP() << "needs root to count whole CPUs";
  const auto cpus = static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  const auto rows_with = [&](const std::vector<std::string>& args) {
    std::vector<std::string> all = {"-x,", "-e", "cpu-clock"};
    all.insert(all.end(), args.begin(), args.end());
    all.insert(all.end(), {"sleep", "0.1"});
    return RowsOf(Stat(all).err, "cpu-clock").size();
  };
  EXPECT_EQ(rows_with({"-a"}), 1u);
  EXPECT_EQ(rows_with({"-a", "-A"}), cpus);
  EXPECT_EQ(rows_with({"-C", "0", "-A"}), 1u);
  EXPECT_LE(rows_with({"-a", "--per-core"}), cpus);
  EXPECT_GE(rows_with({"-a", "--per-socket"}), 1u);
  EXPECT_GE(rows_with({"-a", "--per-node"}), 1u);
  const RunResult ended = Stat({"-x,", "-e", "cpu-clock", "-a", "--timeout", "200"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ValueOf(ended.err, "cpu-clock"), Optional(Gt(190.0 * static_cast<double>(cpus))));
}

TEST_F(StatOptions, SoManyIntervalsAndNoMore) {
  const RunResult result = Stat({"-x,", "-e", "page-faults", "-I", "50", "--interval-count", "2",
                                 Workload("countable"), "0", "0", "5000"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(RowsOf(result.err, "page-faults").size(), 2u) << result.err;
  EXPECT_LT(result.seconds, 4);
}

TEST_F(StatOptions, TheSummaryIsTheSumOfTheIntervals) {
  const RunResult result = Stat({"-x,", "-e", "page-faults", "-I", "50", "--summary",
                                 Workload("countable"), "0", "100", "150"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto rows = RowsOf(result.err, "page-faults");
  ASSERT_GE(rows.size(), 3u) << result.err;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) sum += std::atof(rows[i][0].c_str());
  EXPECT_EQ(std::atof(rows.back()[0].c_str()), sum) << result.err;
}

TEST_F(StatOptions, ADelayLeavesTheBeginningOut) {
  const std::vector<std::string> program = {Workload("countable"), "0", "3000", "600"};
  std::vector<std::string> args = {"-x,", "-e", "page-faults", "-D", "300"};
  args.insert(args.end(), program.begin(), program.end());
  EXPECT_THAT(ValueOf(Stat(args).err, "page-faults"), Optional(Lt(300)));
}

TEST_F(StatOptions, ChildrenAreCountedUnlessTurnedOff) {
  const std::string script = Workload("countable") + " 0 5000; true";
  EXPECT_THAT(ValueOf(Stat({"-x,", "-e", "page-faults", "sh", "-c", script}).err, "page-faults"),
              Optional(Gt(5000)));
  EXPECT_THAT(
      ValueOf(Stat({"-x,", "-i", "-e", "page-faults", "sh", "-c", script}).err, "page-faults"),
      Optional(Lt(1000)));
}

TEST_F(StatOptions, FilesAreAppendedTo) {
  const std::vector<std::string> args = {"-x,", "-o", File("f"), "-e", "page-faults", "true"};
  std::vector<std::string> appending = args;
  appending.insert(appending.begin(), "--append");
  EXPECT_EQ(Stat(args).err, "");
  EXPECT_EQ(Stat(appending).err, "");
  EXPECT_EQ(CountOf(TextOf("f"), "# started on "), 2u);
  EXPECT_EQ(RowsOf(TextOf("f"), "page-faults").size(), 2u);
  Stat(args);
  EXPECT_EQ(RowsOf(TextOf("f"), "page-faults").size(), 1u);
}

TEST_F(StatOptions, ResultsGoToADescriptor) {
  const RunResult result =
      Shell("$PROF stat --log-fd 3 -x, -e page-faults true 3>" + File("counts"));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(ValueOf(TextOf("counts"), "page-faults").has_value());
}

TEST_F(StatOptions, AGroupCountsTogether) {
  const RunResult result = Stat({"-x,", "-g", "-e", "page-faults,task-clock", "true"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(ValueOf(result.err, "page-faults").has_value()) << result.err;
  EXPECT_TRUE(ValueOf(result.err, "task-clock").has_value()) << result.err;
}

TEST_F(StatOptions, MetricsBringTheirEventsOnce) {
  const RunResult result = Stat({"-x,", "-M", "cpus-utilized,page-fault-rate", "true"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(RowsOf(result.err, "task-clock").size(), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr(",CPUs utilized"));
  EXPECT_EQ(RowsOf(result.err, "page-faults").size(), 1u) << result.err;
}

TEST_F(StatOptions, TopdownWorksOrSaysWhyNot) {
  const RunResult result = Stat({"--topdown", "true"});
  EXPECT_THAT(result.err, result.status == 0 ? HasSubstr("elapsed")
                                             : HasSubstr("this machine lacks its events"));
}

TEST_F(StatOptions, MetricsAlone) {
  const RunResult result = Stat({"--metric-only", "-e", "task-clock", "true"});
  EXPECT_THAT(result.err, HasSubstr("CPUs utilized"));
  EXPECT_THAT(result.err, Not(HasSubstr("msec")));
  const RunResult csv = Stat({"--metric-only", "-x;", "-e", "task-clock", "true"});
  EXPECT_THAT(csv.err, ::testing::MatchesRegex("CPUs utilized;\n0\\.[0-9]+;\n"));
  const RunResult json = Stat({"--metric-only", "-j", "-e", "task-clock", "true"});
  EXPECT_THAT(json.err, ::testing::MatchesRegex("\\{\"CPUs utilized\":\"0\\.[0-9]+\"\\}\n"));
}

TEST_F(StatOptions, DetailAddsCacheEvents) {
  const char* added[] = {"L1-dcache-loads", "L1-icache-loads", "L1-dcache-prefetches"};
  const char* options[] = {"-d", "-dd", "-ddd"};
  for (std::size_t level = 0; level < 3; ++level) {
    const std::string names = Stat({"-j", options[level], "true"}).err;  // counted or refused
    for (std::size_t other = 0; other < 3; ++other)
      EXPECT_EQ(CountOf(names, std::string("\"") + added[other]) > 0, other <= level)
          << options[level] << names;
  }
}

TEST_F(StatOptions, CommandsRunBeforeAndAfterEachRun) {
  const RunResult result = Stat({"-n", "-S", "-r", "2", "--warmup", "1", "--pre", Note("before"),
                                 "--post", Note("after"), "sh", "-c", Note("run")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(LinesOf(TextOf("log")), ElementsAre("before", "run", "after", "before", "run",
                                                  "after", "before", "run", "after"));
  const RunResult failing = Stat({"-n", "--post", "exit 3", "true"});
  EXPECT_EQ(failing.status, 125);
  EXPECT_THAT(failing.err, HasSubstr("--post 'exit 3' exited with status 3"));
}

TEST_F(StatOptions, TheTableHasEveryRun) {
  const RunResult result = Stat({"-n", "--table", "-r", "4", "true"});
  EXPECT_THAT(result.err, HasSubstr("# Table of individual measurements:"));
  EXPECT_GE(CountOf(result.err, " #"), 4u) << result.err;
}

TEST_F(StatOptions, AShellRunsBothSides) {
  const RunResult result =
      Stat({"-n", "-r", "4", "--shell", "--vs", "echo a | cat", "--", "echo b | cat"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(CountOf(result.out, "a\n"), 4u);
  EXPECT_EQ(CountOf(result.out, "b\n"), 4u);
}

TEST_F(StatOptions, SidesTakeTurnsAndAreComparedOneByOne) {
  const RunResult result =
      Stat({"-n", "-j", "-r", "4", "--vs", "echo a", "--vs", "echo b", "--", "echo", "c"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "a\nb\nc\nc\nb\na\na\nb\nc\nc\nb\na\n");
  EXPECT_EQ(CountOf(result.err, "\"prof\":\"comparison\""), 2u) << result.err;
}

TEST_F(StatOptions, FailuresAreIgnoredOnRequest) {
  const RunResult result = Stat({"-n", "-r", "3", "--ignore-failure", "false"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("(3 runs)"));
}

TEST_F(StatOptions, AutoStopsByItself) {
  const RunResult result = Stat({"-n", "-j", "-r", "auto", "--max-time", "3", "sleep", "0.01"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.seconds, 10);
  EXPECT_THAT(result.err, HasSubstr("\"runs\":"));
}

TEST_F(StatOptions, ThousandsAreSeparatedUnlessTurnedOff) {
  const std::vector<std::string> program = {Workload("countable"), "0", "5000"};
  std::vector<std::string> plain = {"--no-big-num", "-e", "page-faults"};
  plain.insert(plain.end(), program.begin(), program.end());
  EXPECT_THAT(Stat(plain).err, ::testing::ContainsRegex(" 5[0-9][0-9][0-9] +page-faults"));
  plain[0] = "-B";
  EXPECT_THAT(Stat(plain).err, ::testing::ContainsRegex(" 5,[0-9][0-9][0-9] +page-faults"));
}

}  // namespace
}  // namespace prof::test
