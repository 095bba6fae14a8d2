// Checks that programs with a known profile get that profile: shares, names, whole stacks; as root
// and as a user.
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Attribution : public LiveTestAsBoth {};
INSTANTIATE_TEST_SUITE_P(, Attribution, ::testing::Values("Root", "User"),
                         [](const auto& which) { return std::string(which.param); });

const std::vector<std::string> kSampling = {"-e", "cpu-clock", "-F", "999", "-g"};

std::vector<std::string> With(std::vector<std::string> options,
                              const std::vector<std::string>& command) {
  options.insert(options.end(), command.begin(), command.end());
  return options;
}

std::size_t Occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + word.size()))
    ++count;
  return count;
}

// The line of a folded report that has `word` most often.
std::string RichestLine(const std::string& report, const std::string& word) {
  std::string richest;
  std::istringstream stream(report);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("#") && Occurrences(line, word) > Occurrences(richest, word))
      richest = line;
  }
  return richest;
}

TEST_P(Attribution, FindsTheTwentyEightySplit) {
  const RecordSummary summary = MustRecord(With(kSampling, {Workload("split"), "1500"}));
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  const ReportRows rows = Rows("comm,dso,sym");
  const std::string report = Report({"--no-children", "-g", "none", "-n"}).out;
  EXPECT_NEAR(HotShare(rows), 80, 5) << report;
  EXPECT_GT(FunctionShare(rows, "hot_part") + FunctionShare(rows, "cold_part"), 20) << report;
  EXPECT_GE(CommShare(rows, "split"), 95) << report;
}

TEST_P(Attribution, WorksWithoutNamingAnEvent) {
  MustRecord({Workload("split"), "700"});
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_P(Attribution, ChargesCallersWithTheirCallees) {
  MustRecord(With(kSampling, {Workload("split"), "700"}));
  EXPECT_GE(FunctionShare(ChildrenRows("sym"), "main"), 90);
}

TEST_P(Attribution, UnwindsARecursionOfKnownDepth) {
  const RecordSummary summary = MustRecord(With(kSampling, {Workload("recursion"), "60", "1000"}));
  EXPECT_GE(summary.complete_percent.value_or(0), 99);
  const RunResult report = Report({"--no-children", "-g", "folded,0,caller", "-s", "sym"});
  const std::string chain = RichestLine(report.out, "descend");
  EXPECT_EQ(Occurrences(chain, "descend"), 60U) << report.out;
  EXPECT_EQ(Occurrences(chain, ";main;"), 1U) << chain;
  EXPECT_EQ(Occurrences(chain, "bottom"), 1U) << chain;
}

TEST_P(Attribution, CutsStacksAtTheDepthAskedForAndSaysSo) {
  const RecordSummary summary = MustRecord(
      With(With(kSampling, {"--max-stack", "20"}), {Workload("recursion"), "60", "500"}));
  EXPECT_LE(summary.complete_percent.value_or(100), 5);
  const RunResult report = Report({"--no-children", "-g", "folded,0,caller", "-s", "sym"});
  const std::size_t depth = Occurrences(RichestLine(report.out, "descend"), "descend");
  EXPECT_LE(depth, 20U);
  EXPECT_GE(depth, 15U);
}

TEST_P(Attribution, NamesAProcessAsItWasCalledAtTheTime) {
  MustRecord(With(kSampling, {Workload("exec_chain"), "600"}));
  const ReportRows rows = Rows("comm,sym");
  EXPECT_NEAR(CommShare(rows, "exec_chain"), 50, 8);
  EXPECT_NEAR(CommShare(rows, "second_name"), 50, 8);
  for (const ReportRow& row : rows) {
    if (row.percent() < 1) continue;
    EXPECT_FALSE(row.IsFunction("before_exec") && row.columns.at("Command") != "exec_chain");
    EXPECT_FALSE(row.IsFunction("after_exec") && row.columns.at("Command") != "second_name");
  }
}

TEST_P(Attribution, KnowsLibrariesThatCameAndWentAtTheSameAddress) {
  const RecordSummary summary = MustRecord(With(kSampling, {Workload("dlopen_midrun"), "600"}));
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  const ReportRows rows = Rows("dso,sym");
  EXPECT_NEAR(FunctionShare(rows, "first_plugin_work"), 50, 8);
  EXPECT_NEAR(FunctionShare(rows, "second_plugin_work"), 50, 8);
  for (const ReportRow& row : rows) {
    const bool first = row.IsFunction("first_plugin_work");
    if (!first && !row.IsFunction("second_plugin_work")) continue;
    EXPECT_EQ(row.columns.at("Shared Object"),
              first ? "libplugin_first.so" : "libplugin_second.so");
  }
}

TEST_P(Attribution, GivesEachOfEightThreadsItsShare) {
  MustRecord(With(kSampling, {Workload("threads8"), "2000"}));
  const ReportRows rows = Rows("comm");
  for (int n = 1; n <= 8; ++n) {
    const std::string name = "worker-" + std::to_string(n);
    EXPECT_NEAR(CommShare(rows, name), 100.0 * n / 36, 4) << name;
  }
  std::size_t busy_threads = 0;
  for (const ReportRow& row : Rows("tid")) busy_threads += row.percent() > 1 ? 1 : 0;
  EXPECT_EQ(busy_threads, 8U);
}

TEST_P(Attribution, FollowsForksThatNeverExec) {
  const RecordSummary summary = MustRecord(With(kSampling, {Workload("forks"), "4", "300"}));
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  const ReportRows rows = ChildrenRows("sym");
  EXPECT_NEAR(FunctionShare(rows, "forked_child_work"), 80, 8);
  // Five processes of 0.3 s on fewer CPUs: none of their time may go astray when they take turns.
  std::smatch match;
  const std::string report = Report({}).out;
  ASSERT_TRUE(std::regex_search(report, match, std::regex(R"(target: ([0-9.]+) s CPU)"))) << report;
  EXPECT_NEAR(std::stod(match[1]), 1.5, 0.1);
  EXPECT_NEAR(FunctionShare(rows, "parent_work"), 20, 8);
}

TEST_P(Attribution, LeavesChildrenOutWhenAsked) {
  MustRecord(With(With(kSampling, {"-i"}), {Workload("forks"), "2", "300"}));
  const ReportRows rows = ChildrenRows("sym");
  EXPECT_EQ(FunctionShare(rows, "forked_child_work"), 0);
  EXPECT_GE(FunctionShare(rows, "parent_work"), 90);
}

TEST_P(Attribution, UnwindsThroughASignalHandler) {
  const RecordSummary summary = MustRecord(With(kSampling, {Workload("signal_stack"), "700"}));
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  const ReportRows rows = ChildrenRows("sym");
  for (const char* name : {"handler_work", "interrupted_work", "main"})
    EXPECT_GE(FunctionShare(rows, name), 95) << name;
}

TEST_P(Attribution, FindsAHandlerOnAnAlternateStack) {
  MustRecord(With(kSampling, {Workload("signal_stack"), "500", "alternate"}));
  EXPECT_GE(FunctionShare(Rows("sym"), "handler_work"), 95);
}

TEST_P(Attribution, SaysSoWhenThereIsNothingToSee) {
  const RunResult result = Record({"-e", "cpu-clock", "-F", "99", Workload("sleeper"), "300"});
  EXPECT_EQ(result.status, 0) << result.err;
  const RunResult report = Report({});
  EXPECT_LT(report.status, 128) << report.err;
  EXPECT_FALSE(report.out.empty() && report.err.empty());
}

// The largest value of `key` in an object that also says "comm": `comm`.
double JsonOfComm(const nlohmann::json& json, const std::string& comm, const std::string& key) {
  double found = 0;
  if (json.is_object() && json.contains("comm") && json["comm"] == comm && json.contains(key) &&
      json[key].is_number()) {
    found = json[key].get<double>();
  }
  if (json.is_structured()) {
    for (const auto& child : json) found = std::max(found, JsonOfComm(child, comm, key));
  }
  return found;
}

class Storm : public LiveTest {
 protected:
  // CPU seconds that the storm itself says all its processes used.
  static double UsedSeconds(const std::string& out) {
    std::smatch match;
    return std::regex_search(out, match, std::regex(R"(all_cpu_s ([0-9.]+))")) ? std::stod(match[1])
                                                                               : 0;
  }
};

TEST_F(Storm, IsSampledWhollyAsRoot) {
  if (!IsRoot()) GTEST_SKIP() << "not run by root";
  const RunResult result =
      Record({"-e", "cpu-clock", "-F", "1999", "-g", Workload("storm"), "2000", "300"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto summary = ParseSummary(result.err);
  ASSERT_TRUE(summary.has_value()) << result.err;
  EXPECT_EQ(summary->lost, 0U);
  double sampled_ns = 0;
  for (const ReportRow& row : Rows("comm", {"--show-total-period"}))
    sampled_ns += row.Number("Period");
  const double used = UsedSeconds(result.out);
  EXPECT_NEAR(sampled_ns * 1e-9, used, used / 10);
  EXPECT_EQ(JsonOfComm(nlohmann::json::parse(Report({"--json"}).out, nullptr, false), "storm",
                       "processes"),
            2001);
}

TEST_F(Storm, IsReportedAsUnseenToAUser) {
  if (const std::string reason = WhyNoSampling(IsRoot()); !reason.empty()) GTEST_SKIP() << reason;
  BecomeUser();
  const RunResult result =
      Record({"-e", "cpu-clock", "-F", "199", "-g", Workload("storm"), "400", "500"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(Report({}).out.find("ended before their first sample"), std::string::npos)
      << Report({}).out;
}

}  // namespace
}  // namespace prof::test
