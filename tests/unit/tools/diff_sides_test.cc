// Which operands of prof diff belong to which side.
#include "diff_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::tools {
namespace {

using ::testing::HasSubstr;

SidePair Files(const std::vector<std::string>& words) {
  const auto files = SplitFiles(words);
  EXPECT_TRUE(files.has_value()) << files.error().message;
  return files.value_or(SidePair{});
}

std::string FilesRefusal(const std::vector<std::string>& words) {
  const auto files = SplitFiles(words);
  EXPECT_FALSE(files.has_value());
  return files ? "" : files.error().message + "\n" + files.error().hint;
}

TEST(DiffSides, NoFileAndOneFileAreThoseOfPerf) {
  EXPECT_EQ(Files({}), (SidePair{{"prof.data.old"}, {"prof.data"}}));
  EXPECT_EQ(Files({"new"}), (SidePair{{"prof.data.old"}, {"new"}}));
}

TEST(DiffSides, TwoFilesNeedNoSeparator) {
  EXPECT_EQ(Files({"a", "b"}), (SidePair{{"a"}, {"b"}}));
  EXPECT_EQ(Files({"a", "a"}), (SidePair{{"a"}, {"a"}}));
}

TEST(DiffSides, SeveralFilesASide) {
  EXPECT_EQ(Files({"a", "b", "--", "c"}), (SidePair{{"a", "b"}, {"c"}}));
  EXPECT_EQ(Files({"a", "--", "-"}), (SidePair{{"a"}, {"-"}}));
}

TEST(DiffSides, WhatIsNoPairOfSidesIsRefused) {
  EXPECT_THAT(FilesRefusal({"a", "b", "c"}), HasSubstr("3 files, and no --"));
  EXPECT_THAT(FilesRefusal({"a", "--", "b", "--", "c"}), HasSubstr("-- is given twice"));
  EXPECT_THAT(FilesRefusal({"--", "b"}), HasSubstr("no files before --"));
  EXPECT_THAT(FilesRefusal({"a", "--"}), HasSubstr("no files behind --"));
  EXPECT_THAT(FilesRefusal({"-", "-"}), HasSubstr("standard input (-) can be read once"));
  EXPECT_THAT(FilesRefusal({"a", "-", "--", "-"}), HasSubstr("can be read once"));
}

TEST(DiffSides, CommandsAreSplitAtTheOnlySeparator) {
  const auto commands = SplitCommands({"./old", "-n", "5", "--", "./new", "-n"});
  ASSERT_TRUE(commands.has_value());
  EXPECT_EQ(*commands, (SidePair{{"./old", "-n", "5"}, {"./new", "-n"}}));
}

TEST(DiffSides, WhatIsNoPairOfCommandsIsRefused) {
  const auto refusal = [](const std::vector<std::string>& words) {
    const auto commands = SplitCommands(words);
    return commands ? "" : commands.error().message;
  };
  EXPECT_EQ(refusal({}), "--runs: no commands to compare");
  EXPECT_EQ(refusal({"./old"}), "--runs: no -- between the two commands");
  EXPECT_EQ(refusal({"./old", "--"}), "--runs: no command behind --");
  EXPECT_EQ(refusal({"--", "./new"}), "--runs: no command before --");
  EXPECT_EQ(refusal({"a", "--", "b", "--", "c"}),
            "--runs: two commands are compared, and -- is given twice");
}

}  // namespace
}  // namespace prof::tools
