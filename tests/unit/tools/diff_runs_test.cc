// The runs of prof diff --runs, by a script of ends.
#include "diff_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prof::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every run succeeds unless the script says otherwise.
class Script final : public RecordSource {
 public:
  Result<RecordEnd> Record(const std::vector<std::string>& args, const std::string& file) override {
    recorded.push_back(file);
    words.push_back(args);
    RecordEnd end{.recorded = true};
    if (const auto planned = ends.find(recorded.size()); planned != ends.end())
      end = planned->second;
    return end;
  }
  void Remove(const std::string& file) override { removed.push_back(file); }

  std::map<std::size_t, RecordEnd> ends;  // by number of the run, from 1, warm-ups included
  std::vector<std::string> recorded, removed;
  std::vector<std::vector<std::string>> words;
};

DiffRuns Options(std::uint64_t runs, std::uint64_t warmups = 0) {
  return {.runs = runs,
          .warmups = warmups,
          .commands = {{"./old", "-n 5"}, {"./new"}},
          .record = {"-F", "99"}};
}

RecordedRuns RunScript(const DiffRuns& options, Script& script) {
  return RecordRuns(
      options, "d", script, [](const PlannedRun&, std::optional<double>) {}, [] { return 0.0; });
}

TEST(DiffRuns, SidesTakeTurns) {
  Script script;
  const RecordedRuns recorded = RunScript(Options(3), script);
  EXPECT_FALSE(recorded.error.has_value());
  EXPECT_THAT(script.recorded, ElementsAre("d/before.1.data", "d/after.1.data", "d/after.2.data",
                                           "d/before.2.data", "d/before.3.data", "d/after.3.data"));
  EXPECT_EQ(recorded.files, (SidePair{{"d/before.1.data", "d/before.2.data", "d/before.3.data"},
                                      {"d/after.1.data", "d/after.2.data", "d/after.3.data"}}));
  EXPECT_THAT(script.removed, IsEmpty());
  EXPECT_THAT(script.words.front(),
              ElementsAre("-F", "99", "-q", "-o", "d/before.1.data", "--", "./old", "-n 5"));
}

TEST(DiffRuns, WarmUpsAreThrownAway) {
  Script script;
  const RecordedRuns recorded = RunScript(Options(1, 1), script);
  EXPECT_EQ(recorded.files, (SidePair{{"d/before.1.data"}, {"d/after.1.data"}}));
  EXPECT_THAT(script.removed, ElementsAre("d/before.warmup.data", "d/after.warmup.data"));
}

TEST(DiffRuns, AFailedRunEndsIt) {
  Script script;
  script.ends[2] = {.status = 3, .recorded = true, .output = "no input\n", .signal = {}};
  const RecordedRuns recorded = RunScript(Options(3), script);
  ASSERT_TRUE(recorded.error.has_value());
  EXPECT_EQ(recorded.error->message, "run 1 of './new' exited with status 3");
  EXPECT_THAT(recorded.error->hint, HasSubstr("--ignore-failure"));
  EXPECT_EQ(recorded.failed_output, "no input\n");
  EXPECT_EQ(script.recorded.size(), 2U);

  Script killed;
  killed.ends[1] = {.status = 139, .recorded = true, .output = "", .signal = {}};
  EXPECT_EQ(RunScript(Options(3, 1), killed).error->message,
            "warm-up run 1 of './old '-n 5'' was killed by signal 11");
}

TEST(DiffRuns, FailuresMayBeIgnored) {
  Script script;
  for (const std::size_t run : {2, 4})
    script.ends[run] = {.status = 3, .recorded = true, .output = "", .signal = {}};
  DiffRuns options = Options(2);
  options.ignore_failure = true;
  const RecordedRuns recorded = RunScript(options, script);
  EXPECT_FALSE(recorded.error.has_value());
  EXPECT_EQ(recorded.files.after.size(), 2U);
  EXPECT_THAT(recorded.notes,
              ElementsAre("2 of 4 runs failed (--ignore-failure), the last with status 3"));
}

TEST(DiffRuns, WhatProfRecordSaysIsTheError) {
  Script script;
  script.ends[1] = {.status = 125,
                    .recorded = false,
                    .output = "prof record: sampling is not permitted\nhint: ask root\n",
                    .signal = {}};
  DiffRuns options = Options(2);
  options.ignore_failure = true;  // of commands, which this is not
  const RecordedRuns recorded = RunScript(options, script);
  ASSERT_TRUE(recorded.error.has_value());
  EXPECT_EQ(recorded.error->message,
            "run 1 of './old '-n 5'' was not recorded: sampling is not permitted");
  EXPECT_EQ(recorded.error->hint, "ask root");

  Script silent;
  silent.ends[1] = {.status = 137, .recorded = false, .output = "", .signal = {}};
  EXPECT_THAT(RunScript(options, silent).error->message, HasSubstr("ended with status 137"));
}

TEST(DiffRuns, ASignalLeavesTheWholeRuns) {
  Script script;
  script.ends[4] = {.status = 130, .recorded = true, .output = "", .signal = SIGINT};
  const RecordedRuns recorded = RunScript(Options(5), script);
  EXPECT_FALSE(recorded.error.has_value());
  EXPECT_EQ(recorded.signal, SIGINT);
  EXPECT_EQ(recorded.files, (SidePair{{"d/before.1.data"}, {"d/after.1.data", "d/after.2.data"}}));
  EXPECT_THAT(script.removed, ElementsAre("d/before.2.data"));
  EXPECT_THAT(recorded.notes,
              ElementsAre("interrupted after 1 whole run of before and 2 of after"));
}

TEST(DiffRuns, ASignalBeforeBothSidesHaveRuns) {
  Script script;
  script.ends[2] = {.status = 0, .recorded = true, .output = "", .signal = SIGTERM};
  const RecordedRuns recorded = RunScript(Options(5), script);
  EXPECT_EQ(recorded.signal, SIGTERM);
  ASSERT_TRUE(recorded.error.has_value());
  EXPECT_THAT(recorded.error->message, HasSubstr("nothing can be compared"));
}

TEST(DiffRuns, TheTimeLeftIsTold) {
  Script script;
  std::vector<std::optional<double>> left;
  double now = 0;
  RecordRuns(
      Options(2), "d", script,
      [&](const PlannedRun&, std::optional<double> left_s) {
        left.push_back(left_s);
        now += 10;
      },
      [&] { return now; });
  EXPECT_THAT(left, ElementsAre(std::nullopt, std::nullopt, 20.0, 10.0));
}

}  // namespace
}  // namespace prof::tools
