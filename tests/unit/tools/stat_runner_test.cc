// Order of runs, repeats and how they end, with a script in place of commands.
#include "stat_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "stat_progress.h"

namespace prof::tools {
namespace {

using collect::RunOutcome;
using collect::StopReason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs last as long as `seconds_of` says; outcome number N may be replaced.
class ScriptedRuns final : public RunSource {
 public:
  Result<RunOutcome> Run(const collect::RunRequest& request) override {
    const std::size_t number = requests.size();
    requests.push_back(request);
    for (auto& [at, outcome] : scripted) {
      if (at == number) return outcome;
    }
    return Whole(seconds_of(request.side, number), request.discard);
  }
  Result<int> RunAside(const std::string& command) override {
    asides.push_back(command);
    return aside_status;
  }
  std::optional<StopReason> Interrupted() override {
    return requests.size() >= interrupt_before ? std::optional(StopReason::kInterrupted)
                                               : std::nullopt;
  }

  RunOutcome Whole(double seconds, bool discard = false) {
    now += seconds;
    RunOutcome outcome;
    outcome.run.wall_ns = static_cast<std::uint64_t>(seconds * 1e9);
    outcome.appended = !discard;
    return outcome;
  }
  void Fail(std::size_t at, int status) {
    RunOutcome outcome = Whole(0);
    outcome.run.exit_status = static_cast<std::uint32_t>(status);
    scripted.emplace_back(at, outcome);
  }
  void Interrupt(std::size_t at, bool appended) {
    RunOutcome outcome = Whole(0);
    outcome.reason = StopReason::kInterrupted;
    outcome.run.exit_status = 130;
    outcome.appended = appended;
    scripted.emplace_back(at, outcome);
  }
  [[nodiscard]] std::string Sides() const {
    std::string text;
    for (const auto& request : requests)
      text += (request.discard ? "w" : "") + std::to_string(request.side);
    return text;
  }

  std::function<double(std::uint32_t, std::size_t)> seconds_of = [](auto, auto) { return 1.0; };
  std::vector<std::pair<std::size_t, Result<RunOutcome>>> scripted;
  std::vector<collect::RunRequest> requests;
  std::vector<std::string> asides;
  int aside_status = 0;
  std::size_t interrupt_before = ~std::size_t{0};
  double now = 100;
};

class Ignore final : public RunWatcher {
 public:
  void BeforeRun(const PlannedRun&, const RunStopping&, double) override {}
  void AfterRun(const PlannedRun&, const model::RunDef&) override {}
};

class StatRunnerTest : public ::testing::Test {
 protected:
  StatRunnerTest() { Sides(1); }
  void Sides(std::uint32_t count) {
    arguments_.count.sides.clear();
    for (std::uint32_t id = 0; id < count; ++id)
      arguments_.count.sides.push_back(
          {.id = id, .command = {"./x"}, .text = "./x" + std::to_string(id)});
  }
  RunnerEnd Run() {
    Ignore watcher;
    return RunAll(arguments_, runs_, watcher, [this] { return runs_.now; });
  }
  StatArguments arguments_;
  ScriptedRuns runs_;
};

TEST_F(StatRunnerTest, OneRunGivesItsStatus) {
  runs_.Fail(0, 7);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 7);
  EXPECT_EQ(end.whole_runs, 1u);
  EXPECT_FALSE(end.error.has_value());
  EXPECT_TRUE(runs_.requests[0].keep_interrupted);
}

TEST_F(StatRunnerTest, AnInterruptedSingleRunKeepsItsCounts) {
  runs_.Interrupt(0, true);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_EQ(end.whole_runs, 1u);
}

TEST_F(StatRunnerTest, AnInterruptEndsWhatIsAttachedToWell) {
  arguments_.count.target.kind = model::TargetKind::kSystem;
  runs_.Interrupt(0, true);  // its timer died of the signal
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 0);
  EXPECT_EQ(end.whole_runs, 1u);
  EXPECT_THAT(end.notes, IsEmpty());
}

TEST_F(StatRunnerTest, WarmUpsComeFirst) {
  arguments_.repeats = {.runs = 3, .warmups = 2};
  EXPECT_EQ(Run().whole_runs, 3u);
  EXPECT_EQ(runs_.Sides(), "w0w0000");
}

TEST_F(StatRunnerTest, TwoSidesRunAsABBA) {
  Sides(2);
  arguments_.repeats.runs = 4;
  EXPECT_EQ(Run().whole_runs, 8u);
  EXPECT_EQ(runs_.Sides(), "10011001");
}

TEST_F(StatRunnerTest, ThreeSidesRunAsABCCBA) {
  Sides(3);
  arguments_.repeats = {.runs = 2, .warmups = 1};
  Run();
  EXPECT_EQ(runs_.Sides(), "w1w2w0120021");
}

TEST_F(StatRunnerTest, PrepareAndPostFrameEveryRun) {
  arguments_.repeats = {.runs = 2, .warmups = 1};
  arguments_.prepare = "before";
  arguments_.post = "after";
  Run();
  EXPECT_THAT(runs_.asides, ElementsAre("before", "after", "before", "after", "before", "after"));
}

TEST_F(StatRunnerTest, APrepareThatFailsEndsIt) {
  arguments_.repeats.runs = 2;
  arguments_.prepare = "make";
  runs_.aside_status = 2;
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, kExitFailure);
  ASSERT_TRUE(end.error.has_value());
  EXPECT_EQ(end.error->message, "--prepare 'make' exited with status 2 at run 1 of './x0'");
  EXPECT_THAT(runs_.requests, IsEmpty());
}

TEST_F(StatRunnerTest, ARunThatFailsEndsTheRepeats) {
  arguments_.repeats.runs = 10;
  runs_.Fail(2, 7);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 7);
  EXPECT_EQ(runs_.requests.size(), 3u);
  ASSERT_TRUE(end.error.has_value());
  EXPECT_EQ(end.error->message, "run 3 of './x0' exited with status 7");
  EXPECT_THAT(end.error->hint, HasSubstr("--ignore-failure"));
}

TEST_F(StatRunnerTest, ARunThatIsKilledIsSaidSo) {
  arguments_.repeats.runs = 2;
  runs_.Fail(0, 139);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 139);
  EXPECT_EQ(end.error->message, "run 1 of './x0' was killed by signal 11");
}

TEST_F(StatRunnerTest, FailuresMayBeIgnored) {
  arguments_.repeats.runs = 4;
  arguments_.ignore_failure = true;
  runs_.Fail(1, 7);
  runs_.Fail(2, 3);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 0);
  EXPECT_EQ(end.whole_runs, 4u);
  EXPECT_THAT(end.notes, ElementsAre(HasSubstr("2 of 4 runs failed")));
}

TEST_F(StatRunnerTest, WhatCannotBeStartedHasAShellsStatus) {
  runs_.scripted.emplace_back(0, prof::Fail(ErrorKind::kNotFound, "./x: command not found"));
  EXPECT_EQ(Run().exit_status, kExitNotFound);
  runs_ = {};
  runs_.scripted.emplace_back(0, prof::Fail(ErrorKind::kPermission, "./x: not executable"));
  EXPECT_EQ(Run().exit_status, kExitNotExecutable);
  runs_ = {};
  arguments_.count.target.kind = model::TargetKind::kProcesses;
  runs_.scripted.emplace_back(0, prof::Fail(ErrorKind::kNotFound, "process 7 does not exist"));
  EXPECT_EQ(Run().exit_status, kExitFailure);
}

TEST_F(StatRunnerTest, ARunWithoutItsMetricIsNamed) {
  arguments_.repeats.runs = 5;
  arguments_.count.metrics.push_back(
      {.definition = {.name = "fps", .pattern = "([0-9]+) fps"},
       .pattern = *TextPattern::Compile("([0-9]+) fps", "--metric")});
  RunOutcome good = runs_.Whole(1);
  good.run.metrics = {60};
  RunOutcome bad = runs_.Whole(1);
  bad.appended = false;
  bad.unmatched_metric = 0;
  runs_.scripted = {{0, good}, {1, bad}};
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, kExitFailure);
  EXPECT_EQ(end.whole_runs, 1u);
  EXPECT_THAT(end.error->message, HasSubstr("'([0-9]+) fps' in the output of run 2 of './x0'"));
}

TEST_F(StatRunnerTest, ForeverEndsWellWithAnInterruptAfterAWholeRun) {
  arguments_.repeats.until = RepeatUntil::kForever;
  runs_.Interrupt(3, false);
  RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 0);
  EXPECT_EQ(end.whole_runs, 3u);
  EXPECT_FALSE(runs_.requests[0].keep_interrupted);
  runs_ = {};
  runs_.Interrupt(0, false);
  EXPECT_EQ(Run().exit_status, 130);
}

TEST_F(StatRunnerTest, AnInterruptBetweenRunsIsSeen) {
  arguments_.repeats.runs = 5;
  runs_.interrupt_before = 2;
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_EQ(runs_.requests.size(), 2u);
  EXPECT_THAT(end.notes, ElementsAre("interrupted after 2 whole runs"));
}

TEST_F(StatRunnerTest, AutoStopsWhenTheMedianIsPrecise) {
  arguments_.repeats = {.until = RepeatUntil::kPrecise, .max_seconds = 1e6};
  runs_.seconds_of = [](auto, std::size_t number) {
    return 1 + 1e-4 * static_cast<double>(number % 3);
  };
  const RunnerEnd end = Run();
  EXPECT_THAT(end.notes, IsEmpty());
  EXPECT_GE(end.whole_runs, 10u);
  EXPECT_LE(end.whole_runs, 15u);
}

TEST_F(StatRunnerTest, AutoSaysThatItIsHopeless) {
  arguments_.repeats = {.until = RepeatUntil::kPrecise, .max_seconds = 30};
  runs_.seconds_of = [](auto, std::size_t number) {
    return 1 + 0.3 * static_cast<double>(number % 3);
  };
  const RunnerEnd end = Run();
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_THAT(end.notes[0], HasSubstr("-r auto stopped after"));
  EXPECT_THAT(end.notes[0], HasSubstr("not below 1 %"));
  EXPECT_THAT(end.notes[0], HasSubstr("--max-time 30 s"));
  EXPECT_EQ(end.exit_status, 0);
}

TEST_F(StatRunnerTest, AutoOverTimeBeforeAnIntervalSaysSo) {
  arguments_.repeats = {.until = RepeatUntil::kPrecise, .max_seconds = 120};
  runs_.seconds_of = [](auto, auto) { return 100.0; };
  const RunnerEnd end = Run();
  EXPECT_EQ(end.whole_runs, 2u);
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_THAT(end.notes[0], HasSubstr("no 95 % interval yet"));
}

TEST_F(StatRunnerTest, AutoOfTwoSidesWaitsForTheRatio) {
  Sides(2);
  arguments_.repeats = {.until = RepeatUntil::kPrecise, .max_seconds = 1e6};
  runs_.seconds_of = [](std::uint32_t side, std::size_t number) {
    return (side == 0 ? 1.1 : 1.0) + 1e-4 * static_cast<double>(number % 5);
  };
  const RunnerEnd end = Run();
  EXPECT_THAT(end.notes, IsEmpty());
  EXPECT_EQ(end.whole_runs % 2, 0u);
  EXPECT_GE(end.whole_runs, 20u);
}

TEST_F(StatRunnerTest, MaxTimeEndsANumberOfRunsToo) {
  arguments_.repeats = {.runs = 50, .max_seconds = 3};
  const RunnerEnd end = Run();
  EXPECT_EQ(end.whole_runs, 3u);
  EXPECT_THAT(end.notes, ElementsAre("--max-time is over after 3 of 50 runs"));
}

TEST_F(StatRunnerTest, ATimeoutThatWasAskedForIsNoFailure) {
  RunOutcome outcome = runs_.Whole(1);
  outcome.reason = StopReason::kDuration;
  outcome.run.exit_status = 143;
  runs_.scripted.emplace_back(0, outcome);
  EXPECT_EQ(Run().exit_status, 0);
}

TEST_F(StatRunnerTest, ASingleRunThatASignalEndedSaysWhich) {
  runs_.Fail(0, 139);
  const RunnerEnd end = Run();
  EXPECT_EQ(end.exit_status, 139);
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_THAT(end.notes[0], testing::HasSubstr("status 139, that of signal 11 ("));
}

TEST_F(StatRunnerTest, AStatusThatNoSignalHasIsNotExplained) {
  runs_.Fail(0, 255);
  EXPECT_TRUE(Run().notes.empty());
}

TEST(PlanWords, NumbersThatPeopleRead) {
  EXPECT_EQ(ShareText(0.00834), "0.83 %");
  EXPECT_EQ(ShareText(0.01), "1 %");
  EXPECT_EQ(ShareText(3.1), "310 %");
  EXPECT_EQ(DurationText(11.2), "12 s");
  EXPECT_EQ(DurationText(2400), "40 min");
  EXPECT_EQ(DurationText(10'800), "3 h");
  EXPECT_EQ(DurationText(988'183), "11 days");
  EXPECT_EQ(DurationText(1e9), "12000 days");
}

TEST(ProgressTextTest, SaysRunsAndTimeLeft) {
  const RepeatOptions options{.runs = 20};
  RunStopping stopping(options, 1);
  EXPECT_EQ(ProgressText(options, {.round = 0}, stopping, 0), "run 1 of 20");
  ASSERT_TRUE(stopping.AddRound({1.0}, 2).has_value());
  EXPECT_EQ(ProgressText(options, {.round = 1}, stopping, 2), "run 2 of 20, about 38 s left");
  EXPECT_EQ(ProgressText({.warmups = 3}, {.round = 1, .warmup = true}, stopping, 2),
            "warm-up run 2 of 3");
}

TEST(ProgressTextTest, SaysTheIntervalOfAuto) {
  const RepeatOptions options{.until = RepeatUntil::kPrecise, .max_seconds = 60};
  RunStopping stopping(options, 1);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(stopping.AddRound({1 + 0.01 * i}, i + 1).has_value());
  EXPECT_EQ(ProgressText(options, {.round = 8}, stopping, 8),
            "run 9, 95 % interval 6.8 % wide (1 % wanted), about 52 s left");
}

}  // namespace
}  // namespace prof::tools
