// What `prof record` makes of its words, and what it says to wrong ones.
#include "record_arguments.h"

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
using ::testing::Not;
using ::testing::StartsWith;

RecordArguments Parse(const std::vector<std::string>& args) {
  RecordParse parse = ParseRecordArguments(args, HostFs());
  EXPECT_TRUE(parse.arguments.has_value());
  return std::move(parse.arguments).value_or(RecordArguments{});
}

// The error of arguments that must be refused.
std::string ErrorOf(const std::vector<std::string>& args) {
  testing::internal::CaptureStderr();
  const RecordParse parse = ParseRecordArguments(args, HostFs());
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(parse.arguments.has_value());
  EXPECT_EQ(parse.exit_status, kExitFailure);
  return text;
}

TEST(RecordArgumentsTest, OptionsEndAtTheCommand) {
  const RecordArguments arguments = Parse({"-g", "-F", "99", "./app", "-F", "1", "--its-option"});
  EXPECT_THAT(arguments.options.target.command, ElementsAre("./app", "-F", "1", "--its-option"));
  EXPECT_EQ(arguments.options.frequency_hz, 99u);
  EXPECT_EQ(arguments.options.call_graph, model::CallGraphMode::kAuto);
}

TEST(RecordArgumentsTest, ReadersAreANumberOrOnePerCpu) {
  EXPECT_EQ(Parse({"true"}).options.readers.count, 0u);
  EXPECT_FALSE(Parse({"true"}).options.readers.pinned);
  EXPECT_EQ(Parse({"--readers", "3", "true"}).options.readers.count, 3u);
  EXPECT_TRUE(Parse({"--readers", "cpu", "true"}).options.readers.pinned);
}

TEST(RecordArgumentsTest, AnErrorIsOneLineAndOneHint) {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"--bogus", "true"},
                                                       {"-F"},
                                                       {"-F", "0", "true"},
                                                       {"-F", "99999999999999999999", "true"},
                                                       {"-F", "9", "-c", "9", "true"},
                                                       {"-c", "x", "true"},
                                                       {"-p", "abc"},
                                                       {"-p", "1,,2"},
                                                       {"-p", "99999999999"},
                                                       {"-p", "1", "-a"},
                                                       {"-D", "-1", "true"},
                                                       {"--duration", "x", "true"},
                                                       {"--readers", "0", "true"},
                                                       {"--readers", "cpus", "true"},
                                                       {"--readers", "99999", "true"},
                                                       {"--max-stack", "0", "true"},
                                                       {"--call-graph", "lbr", "true"},
                                                       {"--call-graph", "dwarf,7", "true"},
                                                       {"-m", "8Q", "true"},
                                                       {"-o", "", "true"},
                                                       {"--all-user", "--all-kernel", "true"},
                                                       {"--filter", "a", "true"}};
  for (const auto& args : wrong) {
    const std::string text = ErrorOf(args);
    EXPECT_THAT(text, StartsWith("prof record: "));
    EXPECT_THAT(text, HasSubstr("\nhint: "));
    EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
    EXPECT_THAT(text, Not(HasSubstr("TEXT")));
    EXPECT_THAT(text, Not(HasSubstr("convert")));
  }
}

TEST(RecordArgumentsTest, AWordAfterGIsAskedForAsAnOption) {
  EXPECT_THAT(ErrorOf({"-g", "fp", "./app"}), HasSubstr("prof record --call-graph fp"));
  EXPECT_THAT(Parse({"-g", "./fp"}).options.target.command, ElementsAre("./fp"));
}

TEST(RecordArgumentsTest, HelpFitsEightyColumns) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(ParseRecordArguments({"--help"}, HostFs()).exit_status, 0);
  std::istringstream help(testing::internal::GetCapturedStdout());
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace prof::tools
