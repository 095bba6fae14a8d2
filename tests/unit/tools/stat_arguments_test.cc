// What `prof stat` makes of its words, and what it says to wrong ones.
#include "stat_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"

namespace prof::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

StatArguments Parse(const std::vector<std::string>& args) {
  StatParse parse = ParseStatArguments(args);
  EXPECT_TRUE(parse.arguments.has_value());
  return std::move(parse.arguments).value_or(StatArguments{});
}

std::string ErrorOf(const std::vector<std::string>& args) {
  testing::internal::CaptureStderr();
  const StatParse parse = ParseStatArguments(args);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(parse.arguments.has_value());
  EXPECT_EQ(parse.exit_status, kExitFailure);
  return text;
}

TEST(StatArgumentsTest, OptionsEndAtTheCommand) {
  const StatArguments arguments = Parse({"-e", "page-faults", "./app", "-r", "3", "--vs"});
  EXPECT_THAT(arguments.count.target.command, ElementsAre("./app", "-r", "3", "--vs"));
  EXPECT_THAT(arguments.events.texts, ElementsAre("page-faults"));
  EXPECT_TRUE(arguments.repeats.IsSingle());
  EXPECT_THAT(arguments.count.command_line,
              ElementsAre("prof", "stat", "-e", "page-faults", "./app", "-r", "3", "--vs"));
}

TEST(StatArgumentsTest, DetailIsCounted) {
  EXPECT_EQ(Parse({"true"}).events.detail, 0);
  EXPECT_EQ(Parse({"-d", "true"}).events.detail, 1);
  EXPECT_EQ(Parse({"-dd", "true"}).events.detail, 2);
  EXPECT_EQ(Parse({"-d", "-d", "-d", "true"}).events.detail, 3);
}

TEST(StatArgumentsTest, RepeatsAreANumberForeverOrAuto) {
  EXPECT_EQ(Parse({"-r", "7", "true"}).repeats.runs, 7u);
  EXPECT_EQ(Parse({"-r", "0", "true"}).repeats.until, RepeatUntil::kForever);
  const RepeatOptions precise = Parse({"-r", "auto", "true"}).repeats;
  EXPECT_EQ(precise.until, RepeatUntil::kPrecise);
  EXPECT_EQ(precise.precision, 0.01);
  EXPECT_EQ(precise.max_seconds, 120);
  EXPECT_EQ(Parse({"-r", "7", "true"}).repeats.max_seconds, std::nullopt);
}

TEST(StatArgumentsTest, PrecisionIsInPercentWithOrWithoutTheSign) {
  EXPECT_DOUBLE_EQ(Parse({"-r", "auto", "--precision", "0.5%", "true"}).repeats.precision, 0.005);
  EXPECT_DOUBLE_EQ(Parse({"-r", "auto", "--precision", "2", "true"}).repeats.precision, 0.02);
}

TEST(StatArgumentsTest, VsMeansAutoUnlessARepeatIsSaid) {
  const StatArguments arguments = Parse({"--vs", "./old 'a b'", "--", "./new", "-x"});
  EXPECT_EQ(arguments.repeats.until, RepeatUntil::kPrecise);
  ASSERT_EQ(arguments.count.sides.size(), 2u);
  EXPECT_THAT(arguments.count.sides[0].command, ElementsAre("./new", "-x"));
  EXPECT_THAT(arguments.count.sides[1].command, ElementsAre("./old", "a b"));
  EXPECT_EQ(Parse({"-r", "4", "--vs", "false", "true"}).repeats.runs, 4u);
}

TEST(StatArgumentsTest, ShellRunsAllSidesInAShell) {
  const StatArguments arguments = Parse({"--shell", "--vs", "a | b", "c", "|", "d"});
  EXPECT_THAT(arguments.count.target.command, ElementsAre("sh", "-c", "c | d"));
  EXPECT_THAT(arguments.count.sides[1].command, ElementsAre("sh", "-c", "a | b"));
}

TEST(StatArgumentsTest, AMetricMayHaveANameAndADirection) {
  const auto metrics = Parse({"--metric", "fps=([0-9.]+) fps", "--higher-is-better", "--metric",
                              "took ([0-9.]+)=s", "true"})
                           .count.metrics;
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].definition.name, "fps");
  EXPECT_EQ(metrics[0].definition.pattern, "([0-9.]+) fps");
  EXPECT_TRUE(metrics[0].definition.higher_is_better);
  EXPECT_EQ(metrics[1].definition.name, "took") << "the text around the number";
  EXPECT_EQ(metrics[1].definition.pattern, "took ([0-9.]+)=s");
  EXPECT_FALSE(metrics[1].definition.higher_is_better);
}

TEST(StatArgumentsTest, ASplitNeedsAFittingTarget) {
  const StatArguments arguments = Parse({"-a", "-A", "sleep", "1"});
  EXPECT_EQ(arguments.count.split, collect::CountSplit::kCpu);
  EXPECT_EQ(arguments.aggregation, analysis::counts::Aggregation::kCpu);
  EXPECT_EQ(Parse({"-C", "0-1", "--per-core", "sleep", "1"}).aggregation,
            analysis::counts::Aggregation::kCore);
  EXPECT_EQ(Parse({"-p", "1", "--per-thread", "sleep", "1"}).count.split,
            collect::CountSplit::kThread);
}

TEST(StatArgumentsTest, TheIdsOfAnAttachedTargetAreItsText) {
  EXPECT_EQ(Parse({"-p", "12,13", "sleep", "1"}).count.sides[0].text, "12,13");
  EXPECT_EQ(Parse({"-C", "0-1", "sleep", "1"}).count.sides[0].text, "0-1");
  EXPECT_EQ(Parse({"echo", "a b"}).count.sides[0].text, "echo 'a b'");
}

TEST(StatArgumentsTest, SeparatorsAndFormats) {
  EXPECT_EQ(Parse({"-x,", "true"}).separator, ",");
  EXPECT_EQ(Parse({"-x", "\\t", "true"}).separator, "\t");
  EXPECT_EQ(Parse({"-x;", "true"}).format, StatFormat::kCsv);
  EXPECT_EQ(Parse({"-j", "true"}).format, StatFormat::kJson);
  EXPECT_FALSE(Parse({"--no-big-num", "true"}).style.big_numbers);
}

TEST(StatArgumentsTest, TimesAreInMilliseconds) {
  const auto count =
      Parse({"-I", "100", "--interval-count", "3", "--timeout", "2500", "-D", "5", "true"}).count;
  EXPECT_EQ(count.interval_ms, 100u);
  EXPECT_EQ(count.interval_count, 3u);
  EXPECT_EQ(count.timeout_s, 2.5);
  EXPECT_EQ(count.delay_ms, 5u);
}

TEST(StatArgumentsTest, AnErrorIsOneLineAndAtMostOneHint) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"--bogus", "true"},
      {"--vs", "./old"},
      {"--vs", "./old 'x", "--", "./new"},
      {"--vs", "a | b", "--", "./new"},
      {"--vs", "", "--", "./new"},
      {"--vs", "true", "-p", "1"},
      {"-r", "-3", "true"},
      {"-r", "many", "true"},
      {"-r", "99999999999999999999", "true"},
      {"-r", "3", "--precision", "1", "true"},
      {"-r", "auto", "--precision", "0", "true"},
      {"-r", "auto", "--precision", "100%", "true"},
      {"--max-time", "3", "true"},
      {"-r", "3", "--max-time", "nan", "true"},
      {"--warmup", "-1", "true"},
      {"-I", "5", "true"},
      {"-I", "100", "-r", "3", "true"},
      {"-I", "100", "--vs", "true", "true"},
      {"--interval-count", "3", "true"},
      {"--timeout", "9", "true"},
      {"--timeout", "0", "true"},
      {"-D", "0", "true"},
      {"-A", "true"},
      {"--per-core", "-p", "1"},
      {"--per-core", "--per-socket", "-a"},
      {"--per-thread", "true"},
      {"--metric", "x(", "true"},
      {"--metric", "x=", "true"},
      {"--metric", "x", "-a"},
      {"--metric", "a=x", "--metric", "a=y", "true"},
      {"--higher-is-better", "--metric", "x", "true"},
      {"--fail-if-slower", "3", "true"},
      {"--fail-if-slower", "-3", "--vs", "true", "true"},
      {"-x,", "-j", "true"},
      {"-x", "", "true"},
      {"-x\"", "true"},
      {"--append", "true"},
      {"-o", "", "true"},
      {"-o", "f", "--log-fd", "2", "true"},
      {"--log-fd", "777", "true"},
      {"--log-fd", "x", "true"},
      {"-n", "-e", "page-faults", "true"},
      {"-n", "-d", "true"},
      {"--all-user", "--all-kernel", "true"},
      {"-r", "3", "-a"},
      {"--shell", "-a"},
      {"--warmup", "1", "-a", "sleep", "1"},
      {"-p", "1", "-a"},
      {"-p", "x"},
  };
  for (const auto& args : wrong) {
    const std::string text = ErrorOf(args);
    EXPECT_THAT(text, StartsWith("prof stat: ")) << testing::PrintToString(args);
    EXPECT_LE(std::ranges::count(text, '\n'), 2) << text;
  }
}

TEST(StatArgumentsTest, ErrorsNameTheOptionAndTheWayOut) {
  EXPECT_THAT(ErrorOf({"-I", "5", "true"}), HasSubstr("the least is 10"));
  EXPECT_THAT(ErrorOf({"--repet", "3", "true"}), HasSubstr("did you mean --repeat?"));
  EXPECT_THAT(ErrorOf({"--vs", "a | b", "--", "c"}), HasSubstr("--shell"));
  EXPECT_THAT(ErrorOf({"--vs", "./old"}), HasSubstr("no command besides that of --vs"));
  EXPECT_THAT(ErrorOf({"-x,", "--metric-only", "--vs", "true", "--", "true"}),
              HasSubstr("no comparison of --vs"));
}

TEST(StatArgumentsTest, TheHelpFitsEightyColumns) {
  testing::internal::CaptureStdout();
  const StatParse parse = ParseStatArguments({"--help"});
  std::istringstream help(testing::internal::GetCapturedStdout());
  EXPECT_EQ(parse.exit_status, 0);
  int lines = 0;
  for (std::string line; std::getline(help, line); ++lines) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_GT(lines, 60);
}

}  // namespace
}  // namespace prof::tools
