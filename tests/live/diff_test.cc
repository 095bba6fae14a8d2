// `prof diff` of recordings made here: planted changes are found, equal commands are not called
// different, and whatever cannot be compared is one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/live_test.h"

namespace prof::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Polls for 30 seconds.
bool AwaitFile(const std::string& path) {
  for (int i = 0; i < 3000 && !std::filesystem::exists(path); ++i) SleepMs(10);
  return std::filesystem::exists(path);
}

class DiffTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    std::filesystem::create_directory(Scratch());
    std::filesystem::permissions(Scratch(), std::filesystem::perms::all);
  }

  [[nodiscard]] std::string Scratch() const { return File("scratch"); }
  [[nodiscard]] RunOptions DiffOptions() const {
    RunOptions options = Options();
    options.environment.emplace_back("TMPDIR", Scratch());
    return options;
  }
  [[nodiscard]] std::vector<std::string> Command(std::vector<std::string> args) const {
    args.insert(args.begin(), {Prof(), "diff"});
    return args;
  }
  [[nodiscard]] RunResult Diff(const std::vector<std::string>& args) const {
    return RunProgram(Command(args), DiffOptions());
  }
  // split for so many milliseconds of CPU time, recorded as `name`.
  void MustRecordSplit(const std::string& name, const std::string& milliseconds) const {
    const RunResult result = RunProgram({Prof(), "record", "-q", "-g", "-F", "1999", "-o",
                                         File(name), Workload("split"), milliseconds},
                                        Options());
    ASSERT_EQ(result.status, 0) << result.err;
  }
  [[nodiscard]] std::vector<std::string> Left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Scratch()))
      names.push_back(entry.path().filename());
    return names;
  }
  // One line, and a hint.
  void ExpectError(const std::vector<std::string>& args, const std::string& message) const {
    const RunResult result = Diff(args);
    EXPECT_EQ(result.status, 125) << result.out;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err,
                AllOf(StartsWith("prof diff: "), HasSubstr(message), HasSubstr("\nhint: ")));
  }
};

TEST_F(DiffTest, RunsFindTheSlowerCommand) {
  const RunResult result = Diff({"--runs", "5", "--warmup", "0", "-F", "1999", "--fail-if-slower",
                                 "20%", Workload("split"), "150", "--", Workload("split"), "300"});
  EXPECT_EQ(result.status, 1) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("slower"), HasSubstr("hot_part")));
  EXPECT_THAT(result.err, HasSubstr("prof diff: --fail-if-slower 20: "));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DiffTest, AFasterCommandPassesTheGate) {
  const RunResult result = Diff({"--runs", "5", "--warmup", "0", "-F", "1999", "--fail-if-slower",
                                 "20", Workload("split"), "300", "--", Workload("split"), "150"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("faster"));
  EXPECT_THAT(result.err, Not(HasSubstr("--fail-if-slower")));
}

TEST_F(DiffTest, OrdinaryUsersMayCompare) {
  if (const std::string reason = WhyNoSampling(true); !reason.empty()) GTEST_SKIP() << reason;
  BecomeUser();
  const RunResult result =
      Diff({"--runs", "4", "-g", Workload("split"), "100", "--", Workload("split"), "200"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("hot_part"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DiffTest, RecordingsAreKeptAndComparedAgain) {
  const RunResult kept = Diff({"--runs", "2", "--keep", File("kept/runs"), Workload("split"), "60",
                               "--", Workload("split"), "60"});
  ASSERT_EQ(kept.status, 0) << kept.err;
  const auto file = [&](const std::string& name) { return File("kept/runs/") + name + ".data"; };
  const RunResult again =
      Diff({file("before.1"), file("before.2"), "--", file("after.1"), file("after.2"), "--all"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("hot_part"));
  EXPECT_FALSE(std::filesystem::exists(file("before.warmup")));
  EXPECT_THAT(Left(), IsEmpty());

  const RunResult mixed = Diff({"--runs", "1", "--keep", File("kept/runs"), "true", "--", "true"});
  EXPECT_EQ(mixed.status, 125);
  EXPECT_THAT(mixed.err, HasSubstr("has recordings already"));
}

TEST_F(DiffTest, AGateThatCannotFailSaysSo) {
  const RunResult single = Diff({"--runs", "1", "--warmup", "0", "--fail-if-slower", "5",
                                 Workload("split"), "60", "--", Workload("split"), "120"});
  EXPECT_EQ(single.status, 0) << single.err;
  EXPECT_THAT(single.err, HasSubstr("--fail-if-slower cannot decide"));
}

TEST_F(DiffTest, WhatCommandsPrintIsShownWhenTheyFail) {
  const std::vector<std::string> fails = {"sh", "-c", "echo cannot open input >&2; exit 3"};
  std::vector<std::string> args = {"--runs", "2", "--warmup", "0", "true", "--"};
  args.insert(args.end(), fails.begin(), fails.end());
  const RunResult result = Diff(args);
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("cannot open input\n"), HasSubstr("prof diff: run 1 of 'sh -c 'echo"),
                    HasSubstr("exited with status 3\nhint: --ignore-failure")));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DiffTest, CommandsReadNothingAndPrintNothing) {
  const RunResult hidden =
      Diff({"--runs", "1", "--warmup", "0", "sh", "-c",
            "read line; echo got $line; \"$WORKLOADS/split\" 50", "--", Workload("split"), "50"});
  EXPECT_EQ(hidden.status, 0) << hidden.err;
  EXPECT_THAT(hidden.out, Not(HasSubstr("got")));
  const RunResult shown =
      Diff({"--runs", "1", "--warmup", "0", "--show-output", "sh", "-c",
            "echo said; \"$WORKLOADS/split\" 50", "--", Workload("split"), "50"});
  EXPECT_THAT(shown.out, StartsWith("said\n"));
}

TEST_F(DiffTest, CommandsThatCannotRunAreFoundBefore) {
  const RunResult none = Diff({"--runs", "2", "true", "--", File("nothing")});
  EXPECT_EQ(none.status, 127);
  EXPECT_THAT(none.err, HasSubstr("nothing: command not found\nhint: nothing was recorded"));
  std::ofstream(File("text")) << "text";
  EXPECT_EQ(Diff({"--runs", "2", File("text"), "--", "true"}).status, 126);
  const RunResult option = Diff({"--runs", "2", "--record", "--frequence 9", "true", "--", "true"});
  EXPECT_EQ(option.status, 125);
  EXPECT_THAT(option.err, HasSubstr("--frequence"));
  for (const char* words : {"-a", "-p 1", "-o file"}) {
    const RunResult target = Diff({"--runs", "2", "--record", words, "true", "--", "true"});
    EXPECT_EQ(target.status, 125) << words;
    EXPECT_THAT(target.err, HasSubstr("prof diff's to choose")) << words;
  }
}

TEST_F(DiffTest, InterruptsLeaveTheWholeRuns) {
  RunningProcess process(Command({"--runs", "50", "--warmup", "0", "--all", "--keep", File("kept"),
                                  Workload("split"), "100", "--", Workload("split"), "100"}),
                         DiffOptions());
  ASSERT_TRUE(AwaitFile(File("kept/before.2.data")));
  process.SignalGroup(SIGINT);
  const RunResult result = process.Wait();
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted after "));
  EXPECT_THAT(result.out, HasSubstr("hot_part"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DiffTest, ASignalToProfAloneEndsTheCommand) {
  RunningProcess process(Command({"--runs", "3", "--warmup", "0", "--keep", File("kept"), "sleep",
                                  "100", "--", "sleep", "100"}),
                         DiffOptions());
  ASSERT_TRUE(AwaitFile(File("kept/before.1.data")));
  process.Signal(SIGTERM);
  const RunResult result = process.Wait();
  EXPECT_EQ(result.status, 143);
  EXPECT_LT(result.seconds, 60);
  EXPECT_THAT(result.err, HasSubstr("nothing can be compared"));
  EXPECT_FALSE(std::filesystem::exists(File("kept/before.1.data")));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(DiffTest, FilesPipesAndTheDefault) {
  MustRecordSplit("prof.data.old", "400");
  MustRecordSplit("prof.data", "800");
  const RunResult files = Diff({"--all"});
  EXPECT_EQ(files.status, 0) << files.err;
  EXPECT_THAT(files.out, HasSubstr("hot_part"));
  EXPECT_EQ(Diff({"prof.data", "--all"}).out, files.out);
  const RunResult pipe = RunProgram(
      {"sh", "-c", "\"$PROF\" diff prof.data.old - -q --all < prof.data"}, DiffOptions());
  EXPECT_EQ(pipe.status, 0) << pipe.err;
  EXPECT_EQ(pipe.out, Diff({"-q", "--all"}).out);
  const RunResult closed =
      RunProgram({"sh", "-c", "(\"$PROF\" diff --all; echo $? >&2) | true"}, DiffOptions());
  EXPECT_EQ(closed.err, "0\n");
}

TEST_F(DiffTest, AFileAgainstItself) {
  MustRecordSplit("prof.data", "300");
  const RunResult result = Diff({"prof.data", "prof.data", "--fail-if-slower", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("slower")));
}

TEST_F(DiffTest, OtherForms) {
  MustRecordSplit("b", "300");
  MustRecordSplit("a", "600");
  EXPECT_THAT(Diff({"b", "a", "-c", "delta"}).out, HasSubstr("Baseline"));
  EXPECT_THAT(Diff({"b", "a", "--json"}).out, StartsWith("{"));
  const RunResult folded = Diff({"b", "a", "--folded"});
  EXPECT_EQ(folded.status, 0) << folded.err;
  EXPECT_THAT(folded.out, ::testing::ContainsRegex("main;hot_part [0-9]+ [0-9]+\n"));
  EXPECT_THAT(Diff({"b", "a", "--children", "--all"}).out, HasSubstr("main"));
  EXPECT_THAT(Diff({"b", "a", "--by", "dso", "--all"}).out,
              AllOf(HasSubstr("split"), Not(HasSubstr("hot_part"))));
  EXPECT_THAT(Diff({"b", "a", "-S", "cold_part", "--all"}).out,
              AllOf(HasSubstr("cold_part"), Not(HasSubstr("hot_part"))));
}

TEST_F(DiffTest, AnnotateShowsBothSides) {
  MustRecordSplit("b", "300");
  MustRecordSplit("a", "300");
  const RunResult result = Diff({"--annotate", "hot_part", "b", "a"});
  EXPECT_EQ(result.status, 0) << result.err;
  const RunResult annotate =
      RunProgram({Prof(), "annotate", "-i", "b", "-i", "a", "hot_part"}, Options());
  EXPECT_EQ(result.out, annotate.out);
  ExpectError({"--annotate", "no_such_function", "b", "a"}, "no_such_function");
}

TEST_F(DiffTest, FilesOfProfStatAreCompared) {
  const auto count = [&](const std::string& name, const std::string& milliseconds) {
    const RunResult result = RunProgram(
        {Prof(), "stat", "-q", "--save", File(name), "-r", "5", Workload("split"), milliseconds},
        Options());
    ASSERT_EQ(result.status, 0) << result.err;
  };
  count("old1", "100");
  count("old2", "100");
  count("new", "200");
  const RunResult result = Diff({"old1", "old2", "--", "new", "--fail-if-slower", "20"});
  EXPECT_EQ(result.status, 1) << result.out << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("is slower by"), HasSubstr("split 100', 10 runs"),
                    HasSubstr("split 200', 5 runs"), HasSubstr("not measured in turn")));
  EXPECT_EQ(Diff({"new", "old1", "--fail-if-slower", "20"}).status, 0);
  EXPECT_THAT(Diff({"old1", "new", "--json"}).out, StartsWith("{"));
  MustRecordSplit("profile", "100");
  ExpectError({"old1", "profile"}, "old1 has counts of prof stat, and profile is a profile");
  ExpectError({"profile", "old1"}, "nothing in common");
  ExpectError({"old1", "new", "--comms", "split"}, "has counts and no samples");
  ExpectError({"old1", "new", "--folded"}, "has counts and no samples");
}

TEST_F(DiffTest, WhatCannotBeCompared) {
  MustRecordSplit("good", "100");
  ExpectError({}, "prof.data.old");
  ExpectError({"good", "missing"}, "missing");
  std::ofstream(File("garbage")) << std::string(5000, 'x');
  ExpectError({"good", "garbage"}, "garbage");
  ExpectError({"garbage", "good"}, "garbage");
  ASSERT_EQ(RunProgram({Prof(), "record", "-q", "-F", "1", "-o", File("empty"), "true"}, Options())
                .status,
            0);
  ExpectError({"good", "empty"}, "empty");
  ExpectError({"good", "good", "-S", "no_such_function"}, "filter");
  ExpectError({"good", "good", "-e", "no-such-event"}, "no samples of the events asked for");
}

}  // namespace
}  // namespace prof::test
