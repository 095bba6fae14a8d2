// Checks events: rates and periods, several at once, groups, tracepoints with a filter, names that
// do not exist.
#include <unistd.h>

#include <filesystem>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Event : public LiveTest {};

TEST_F(Event, SamplesEveryNthNanosecondOfACpuClock) {
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-c", "2000000", Workload("split"), "1000"});
  EXPECT_NEAR(static_cast<double>(summary.samples), 500, 120);
}

TEST_F(Event, SamplesAtTheRateAskedFor) {
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "499", Workload("split"), "1000"});
  EXPECT_NEAR(static_cast<double>(summary.samples), 499, 120);
}

TEST_F(Event, TakesTheHighestRateTheKernelAllows) {
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "max", Workload("split"), "500"});
  EXPECT_GE(summary.samples, 300U);
}

TEST_F(Event, LowersARateThatTheKernelDoesNotAllow) {
  const RunResult result = Record({"-e", "cpu-clock", "-F", "99999999", Workload("split"), "100"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(ParseSummary(result.err).has_value()) << result.err;
}

TEST_F(Event, ReportsSeveralEventsInSectionsOfTheirOwn) {
  MustRecord({"-e", "cpu-clock,task-clock", "-e", "page-faults", "-F", "999", "-g",
              Workload("split"), "700"});
  const ReportRows rows = Rows("sym");
  for (const char* event : {"cpu-clock", "task-clock"}) {
    EXPECT_NEAR(HotShare(OfEvent(rows, event)), 80, 8) << event;
  }
}

TEST_F(Event, RecordsGroups) {
  const RunResult result =
      Record({"-e", "{cpu-clock,task-clock}", "-F", "999", Workload("split"), "500"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(HotShare(OfEvent(Rows("sym"), "cpu-clock")), 80, 8);
}

TEST_F(Event, SamplesMembersOfAGroupWithTheirLeader) {
  const RunResult result =
      Record({"-e", "{cpu-clock,page-faults}:S", "-F", "999", "-i", Workload("split"), "500"});
  EXPECT_EQ(result.status, 0) << result.err;
  const ReportRows rows = Rows("sym");
  EXPECT_NEAR(HotShare(OfEvent(rows, "cpu-clock")), 80, 8);
  EXPECT_FALSE(OfEvent(rows, "page-faults").empty());
}

TEST_F(Event, SamplesEveryWriteToAnAddress) {
  const RunResult where = RunProgram({Workload("stores"), "@"}, Options());
  ASSERT_EQ(where.status, 0);
  const std::string address = where.out.substr(0, where.out.find('\n'));
  for (const char* scope : {"--cpu-wide", "--no-cpu-wide"}) {
    if (!IsRoot() && std::string(scope) == "--cpu-wide") continue;
    const RunResult result =
        Record({"-e", "mem:" + address + "/8:w:u", scope, "-m", "1M", Workload("stores"), "700"});
    if (result.status == 125) GTEST_SKIP() << "no breakpoints: " << result.err;
    EXPECT_EQ(result.status, 0) << result.err;
    const auto summary = ParseSummary(result.err);
    ASSERT_TRUE(summary.has_value()) << result.err;
    EXPECT_EQ(summary->samples + summary->lost, 700U) << scope;
    EXPECT_GE(FunctionShare(Rows("sym"), "write_it"), 99);
  }
}

TEST_F(Event, SamplesTheSameWithInheritedEvents) {
  MustRecord(
      {"-e", "cpu-clock", "-F", "999", "-g", "--no-cpu-wide", Workload("forks"), "3", "300"});
  const ReportRows rows = ChildrenRows("sym");
  EXPECT_NEAR(FunctionShare(rows, "forked_child_work"), 75, 8);
}

TEST_F(Event, SaysWhatReplacesTheDefaultEvent) {
  const RunResult result = Record({Workload("split"), "200"});
  EXPECT_EQ(result.status, 0) << result.err;
  const RunResult cycles = Record({"-e", "cycles:u", "true"});
  if (cycles.status == 0) GTEST_SKIP() << "there is a PMU";
  EXPECT_NE(result.err.find("cpu-clock"), std::string::npos) << result.err;
  EXPECT_NE(Report({}).out.find("cycles"), std::string::npos);
  EXPECT_EQ(cycles.status, 125);
  EXPECT_NE(cycles.err.find("hint:"), std::string::npos) << cycles.err;
}

TEST_F(Event, TakesModifiersThatASoftwareClockHasNoUseFor) {
  for (const char* event : {"cpu-clock:P", "cpu-clock:D", "cpu-clock:H"}) {
    const RunResult result = Record({"-e", event, Workload("split"), "200"});
    EXPECT_EQ(result.status, 0) << event << '\n' << result.err;
  }
}

TEST_F(Event, LeavesTheKernelOutWhenAsked) {
  MustRecord({"-e", "cpu-clock", "-F", "999", "--all-user", "sh", "-c",
              "for i in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/zero | wc -c; done"});
  for (const ReportRow& row : Rows("sym"))
    EXPECT_FALSE(row.columns.at("Symbol").starts_with("[k]"));
  MustRecord({"-e", "cpu-clock:u", "-F", "999", Workload("split"), "300"});
  EXPECT_GE(HotShare(Rows("sym")), 60);
}

TEST_F(Event, LeavesUserCodeOutWhenAsked) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  MustRecord({"-e", "cpu-clock", "-F", "999", "--all-kernel", "sh", "-c",
              "head -c 1000000000 /dev/zero | wc -c"});
  for (const ReportRow& row : Rows("sym")) EXPECT_TRUE(row.columns.at("Symbol").starts_with("[k]"));
}

TEST_F(Event, CountsTracepointsThatPassTheFilter) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  if (!std::filesystem::exists("/sys/kernel/tracing/events/syscalls/sys_enter_write") &&
      !std::filesystem::exists("/sys/kernel/debug/tracing/events/syscalls/sys_enter_write")) {
    GTEST_SKIP() << "no tracefs, or a kernel without syscall tracepoints";
  }
  const std::vector<std::string> script = {"sh", "-c", "echo a; echo b; echo longer"};
  std::vector<std::string> all = {"-e", "syscalls:sys_enter_write", "-c", "1"};
  std::vector<std::string> filtered = {
      "-e", "syscalls:sys_enter_write", "--filter", "count == 2", "-c", "1"};
  all.insert(all.end(), script.begin(), script.end());
  filtered.insert(filtered.end(), script.begin(), script.end());
  EXPECT_EQ(MustRecord(all).samples, 3U);
  EXPECT_EQ(MustRecord(filtered).samples, 2U);
}

TEST_F(Event, RefusesAFilterOnAnEventThatHasNone) {
  const RunResult result = Record({"-e", "cpu-clock", "--filter", "fd == 1", "true"});
  EXPECT_EQ(result.status, 125) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Event, NamesTheNearestEventsOfAnUnknownOne) {
  const RunResult result = Record({"-e", "cpu-clok", "true"});
  EXPECT_EQ(result.status, 125) << result.err;
  EXPECT_NE(result.err.find("cpu-clok"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("cpu-clock"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("hint:"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Event, KeepsCallGraphsOfEveryKind) {
  for (const char* mode : {"auto", "dwarf", "dwarf,8192"}) {
    const RecordSummary summary = MustRecord(
        {"-e", "cpu-clock", "-F", "999", "--call-graph", mode, Workload("split"), "400"});
    EXPECT_GE(summary.complete_percent.value_or(0), 98) << mode;
  }
  MustRecord({"-e", "cpu-clock", "-F", "999", "--call-graph", "fp", Workload("split"), "400"});
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 10);
}

}  // namespace
}  // namespace prof::test
