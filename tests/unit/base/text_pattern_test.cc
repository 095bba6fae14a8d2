#include "prof/base/text_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace prof {
namespace {

TextPattern Pattern(const std::string& text) {
  auto pattern = TextPattern::Compile(text, "--metric");
  EXPECT_TRUE(pattern) << text;
  return *pattern;
}

TEST(TextPatternTest, TakesTheFirstGroup) {
  const TextPattern pattern = Pattern("time: ([0-9.]+) (ms|s)");
  EXPECT_TRUE(pattern.Matches("total time: 12.5 ms"));
  EXPECT_EQ(pattern.Capture("time: 12.5 ms, time: 13 s"), "12.5");
  EXPECT_EQ(pattern.CaptureLast("time: 12.5 ms, time: 13 s"), "13");
  EXPECT_FALSE(pattern.Matches("time: soon"));
  EXPECT_EQ(pattern.Capture("time: soon"), std::nullopt);
}

TEST(TextPatternTest, TakesTheWholeMatchWithoutAGroup) {
  EXPECT_EQ(Pattern("\\d+").Capture("run 42 of 50"), "42");
  EXPECT_EQ(Pattern("\\d+").CaptureLast("run 42 of 50"), "50");
  EXPECT_EQ(Pattern("x(y)?").Capture("ax"), "x");
}

TEST(TextPatternTest, EndsOnEmptyMatches) {
  EXPECT_EQ(Pattern("a*").CaptureLast("baab"), "");
  EXPECT_EQ(Pattern("").CaptureLast(""), "");
}

TEST(TextPatternTest, AGroupMayLieOutsideOfTheMatch) {
  EXPECT_EQ(Pattern("(?=(ab))a").Capture("xab"), "ab");
}

TEST(TextPatternTest, SaysWhereThePatternIsWrong) {
  const auto pattern = TextPattern::Compile("time: ([0-9.]+", "--metric");
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(pattern.error().message,
            "--metric: 'time: ([0-9.]+': missing closing parenthesis (at character 15)");
}

TEST(TextPatternTest, GivesUpOnPatternsThatExplode) {
  EXPECT_FALSE(Pattern("(a+)+$").Matches(std::string(5000, 'a') + "b"));
}

TEST(TextPatternTest, TakesTextThatIsNotUtf8) {
  EXPECT_EQ(Pattern("n=(\\d+)").Capture("\xff\xfe n=7 \x80"), "7");
  EXPECT_FALSE(TextPattern::Compile("\xff", "-p"));
}

}  // namespace
}  // namespace prof
