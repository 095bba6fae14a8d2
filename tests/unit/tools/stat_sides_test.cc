// Words of --vs strings, and the search for commands.
#include "stat_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace prof::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Split(const std::string& text) {
  auto words = SplitWords(text, "--vs");
  EXPECT_TRUE(words.has_value()) << words.error().message;
  return std::move(words).value_or(std::vector<std::string>{});
}

std::string ErrorOf(const std::string& text) {
  const auto words = SplitWords(text, "--vs");
  EXPECT_FALSE(words.has_value()) << text;
  return words ? "" : words.error().message;
}

// Expected words: what `sh -c 'printf "[%s]" TEXT'` prints.
TEST(SplitWordsTest, QuotesAreAShells) {
  EXPECT_THAT(Split("  a\tb \n c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Split("./a 'b c' \"d e\" f\\ g"), ElementsAre("./a", "b c", "d e", "f g"));
  EXPECT_THAT(Split("a''b \"\" ''"), ElementsAre("ab", "", ""));
  EXPECT_THAT(Split(R"(a"\"\\\n"'\n')"), ElementsAre(R"(a"\\n\n)"));
  EXPECT_THAT(Split("a\\\nb \"c\\\nd\""), ElementsAre("ab", "cd"));
  EXPECT_THAT(Split("'|' \"; &\" \\> '$x' 5$ \"$\""),
              ElementsAre("|", "; &", ">", "$x", "5$", "$"));
}

TEST(SplitWordsTest, WhatNeedsAShellIsRefused) {
  for (const char* text : {"a | b", "a > f", "a; b", "a && b", "a < f", "(a)", "echo $HOME",
                           "echo `a`", "\"$HOME\"", "echo ${x}", "echo $(a)"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("needs a shell"));
  }
}

TEST(SplitWordsTest, WhatIsNotFinishedIsRefused) {
  EXPECT_THAT(ErrorOf("a 'b"), HasSubstr("(') is not closed"));
  EXPECT_THAT(ErrorOf("a \"b"), HasSubstr("(\") is not closed"));
  EXPECT_THAT(ErrorOf("a \\"), HasSubstr("a backslash at the end"));
  EXPECT_THAT(ErrorOf("  "), HasSubstr("the command is empty"));
}

TEST(SplitWordsTest, JoinedWordsSplitIntoThemselves) {
  const std::vector<std::string> words = {"./a", "", "b c", "it's", "$x", "\\", "a\"b", "x=1,y"};
  EXPECT_EQ(Split(JoinWords(words)), words);
  EXPECT_EQ(JoinWords({"./a", "b c"}), "./a 'b c'");
}

class CheckExecutablesTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, mode_t mode) {
    std::ofstream(folder_.File(name)) << "#!/bin/sh\n";
    ASSERT_EQ(::chmod(folder_.File(name).c_str(), mode), 0);
  }
  Status Check(const std::string& first, const std::string& second) {
    const auto sides = MakeSides({first}, {JoinWords({second})}, false);
    return CheckExecutables(*sides, "/nowhere:" + folder_.File(""));
  }
  test::TempDir folder_;
};

TEST_F(CheckExecutablesTest, LooksInPathAndAtPaths) {
  Put("tool", 0755);
  EXPECT_TRUE(Check("tool", folder_.File("tool")).has_value());
}

TEST_F(CheckExecutablesTest, TellsMissingFromNotExecutable) {
  Put("tool", 0755);
  Put("text", 0644);
  const Status missing = Check("tool", "no-such");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(missing.error().message, "--vs: no-such: command not found");
  const Status text = Check("text", "tool");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().kind, ErrorKind::kPermission);
  EXPECT_EQ(text.error().message, "text: not executable");
  EXPECT_EQ(Check(folder_.File(""), "tool").error().kind, ErrorKind::kPermission);
  EXPECT_EQ(Check("", "tool").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace prof::tools
