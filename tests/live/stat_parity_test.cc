// `prof stat` against `perf stat` and against programs whose counts are known: the same numbers,
// and lines of -x and -j that a reader of perf's understands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "support/live_test.h"
#include "support/stat_lines.h"

namespace prof::test {
namespace {

using ::testing::ElementsAreArray;

// What stays of a field when its number changes: "S0-D0-C1" is "S#-D#-C#", and a rate is one of any
// size. Clocks count the kernel's time whatever they are asked for, so prof has no ":u" on them.
std::string ShapeOf(const std::string& field) {
  static const std::regex number(R"( *[0-9]+(\.[0-9]+)?)"), rate("[KMG]/sec"), clock("clock:u");
  const std::string text = std::regex_replace(field, number, "#");
  return std::regex_replace(std::regex_replace(text, rate, "/sec"), clock, "clock");
}

std::vector<std::string> KeysOf(const std::string& object) {
  static const std::regex key(R"re("([^"]+)" ?: ?)re");
  std::vector<std::string> keys;
  for (std::sregex_iterator at(object.begin(), object.end(), key), end; at != end; ++at)
    keys.push_back((*at)[1]);
  return keys;
}

template <class T>
std::vector<T> FirstOf(const std::vector<T>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<long>(std::min(count, values.size()))};
}

class StatParity : public LiveTestAsBoth {
 protected:
  RunResult Stat(const std::vector<std::string>& args) const {
    return RunStat(Prof(), args, Options());
  }
  RunResult Perf(const std::vector<std::string>& args) const {
    return RunStat("perf", args, Options());
  }

  // Empty when perf counts here.
  [[nodiscard]] std::string WhyNoPerf() const {
    const RunResult result = Perf({"-e", "task-clock", "true"});
    return result.status == 0 ? "" : "perf stat does not work here: " + result.err;
  }
  // perf's rows of `args`; prof's begin with the same fields and keys.
  void ExpectSameRows(const std::vector<std::string>& args, std::size_t rows) const;
};

void StatParity::ExpectSameRows(const std::vector<std::string>& args, std::size_t rows) const {
  const auto with = [&](const char* format) {
    std::vector<std::string> all = {format, "-e", "task-clock,page-faults"};
    all.insert(all.end(), args.begin(), args.end());
    return all;
  };
  const RunResult perf = Perf(with("-x,")), prof = Stat(with("-x,"));
  ASSERT_EQ(prof.status, 0) << prof.err;
  const auto theirs = LinesOf(perf.err), ours = LinesOf(prof.err);
  ASSERT_GE(theirs.size(), rows) << perf.err;
  ASSERT_GE(ours.size(), rows) << prof.err;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> expected, fields;
    for (const std::string& field : FieldsOf(theirs[row])) expected.push_back(ShapeOf(field));
    for (const std::string& field : FieldsOf(ours[row])) fields.push_back(ShapeOf(field));
    EXPECT_THAT(FirstOf(fields, expected.size()), ElementsAreArray(expected)) << ours[row];
  }
  const auto perf_objects = LinesOf(Perf(with("-j")).err);
  const auto prof_objects = LinesOf(Stat(with("-j")).err);
  ASSERT_GE(perf_objects.size(), rows);
  ASSERT_GE(prof_objects.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto expected = KeysOf(perf_objects[row]);
    EXPECT_THAT(FirstOf(KeysOf(prof_objects[row]), expected.size()), ElementsAreArray(expected))
        << prof_objects[row];
  }
}

// A start takes some faults more when the kernel maps less of a file at once: the least counts.
TEST_P(StatParity, PageFaultsArePerfs) {
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::string> args = {"-x,", "-e",  "page-faults", Workload("countable"),
                                         "0",   "1000"};
  double perf = 1e9, prof = 1e9;
  for (int i = 0; i < 5; ++i) {
    perf = std::min(perf, ValueOf(Perf(args).err, "page-faults").value_or(0));
    prof = std::min(prof, ValueOf(Stat(args).err, "page-faults").value_or(0));
  }
  EXPECT_GE(prof, 1000);
  EXPECT_NEAR(prof, perf, 3);
}

TEST_P(StatParity, TracepointCountsAreExact) {
  if (is_user()) GTEST_SKIP() << "tracepoints need root here";
  const std::string event = "syscalls:sys_enter_getppid";
  const std::vector<std::string> args = {"-x,", "-e", event, Workload("countable"), "1234"};
  const RunResult prof = Stat(args);
  if (prof.status != 0) GTEST_SKIP() << prof.err;  // a kernel without tracefs
  EXPECT_EQ(ValueOf(prof.err, event), 1234);
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(ValueOf(Perf(args).err, event), 1234);
}

// A busy machine adds switches, which the process knows as involuntary ones.
TEST_P(StatParity, ContextSwitchesAreTheSleeps) {
  if (is_user()) GTEST_SKIP() << "switches happen in the kernel, which is not counted here";
  const std::vector<std::string> args = {
      "-x,", "-e", "context-switches", Workload("countable"), "0", "0", "200"};
  const RunResult result = Stat(args);
  const auto switches = ValueOf(result.err, "context-switches");
  const auto involuntary = ValueOf(result.err, "prof:involuntary-switches");
  ASSERT_TRUE(switches.has_value() && involuntary.has_value()) << result.err;
  EXPECT_GE(*switches, 200);
  EXPECT_LE(*switches, 200 + *involuntary + 10);
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_GE(ValueOf(Perf(args).err, "context-switches").value_or(0), 200);
}

TEST_P(StatParity, TaskClockIsTheCpuTime) {
  const RunResult result =
      Stat({"-x,", "-e", "task-clock", Workload("countable"), "0", "0", "0", "400"});
  const auto clock_ms = ValueOf(result.err, "task-clock");
  const auto user_ns = ValueOf(result.err, "user_time");
  const auto system_ns = ValueOf(result.err, "system_time");
  ASSERT_TRUE(clock_ms && user_ns && system_ns) << result.err;
  EXPECT_NEAR(*clock_ms, (*user_ns + *system_ns) / 1e6, 4) << "1 %";
}

TEST_P(StatParity, InstructionsArePerfs) {
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::string> args = {"-x,", "-e",  "instructions:u", Workload("countable"),
                                         "0",   "2000"};
  const auto prof = ValueOf(Stat(args).err, "instructions");
  if (!prof) GTEST_SKIP() << "no counter of instructions on this machine";
  const auto perf = ValueOf(Perf(args).err, "instructions");
  ASSERT_TRUE(perf.has_value());
  EXPECT_NEAR(*prof, *perf, 0.001 * *perf);
}

TEST_P(StatParity, LinesBeginAsPerfs) {
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  const std::string program = Workload("countable");
  ExpectSameRows({program, "0", "10", "1", "50"}, 2);
  ExpectSameRows({"-r", "3", program, "0", "10", "1", "50"}, 2);
  ExpectSameRows({"-I", "100", program, "0", "10", "1", "250"}, 2);
}

TEST_P(StatParity, LinesOfCpusBeginAsPerfs) {
  if (is_user()) GTEST_SKIP() << "whole CPUs need root";
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::vector<std::string>> modes = {
      {"-a", "-A"},           {"-C", "0", "-A"},    {"-a", "--per-core"},
      {"-a", "--per-socket"}, {"-a", "--per-node"}, {"-a", "-A", "-I", "100"}};
  for (const auto& mode : modes) {
    SCOPED_TRACE(mode.back());
    std::vector<std::string> args = mode;
    args.insert(args.end(), {Workload("countable"), "0", "10", "1", "150"});
    ExpectSameRows(args, 2);
  }
}

TEST_P(StatParity, LinesOfThreadsBeginAsPerfs) {
  if (const std::string why = WhyNoPerf(); !why.empty()) GTEST_SKIP() << why;
  RunningProcess target({Workload("countable"), "0", "0", "0", "100000"}, Options());
  ExpectSameRows({"--per-thread", "-p", std::to_string(target.pid()), "sleep", "0.2"}, 2);
}

INSTANTIATE_TEST_SUITE_P(, StatParity, ::testing::Values("Root", "User"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace prof::test
