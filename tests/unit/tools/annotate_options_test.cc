// The command line of prof annotate.
#include "annotate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

AnnotateArguments Parse(const std::vector<std::string>& args) {
  auto arguments = ParseAnnotateOptions(args);
  EXPECT_TRUE(arguments.has_value());
  return arguments ? *arguments : AnnotateArguments{};
}

// What is printed when `args` are refused.
std::string Refusal(const std::vector<std::string>& args) {
  ::testing::internal::CaptureStderr();
  const auto arguments = ParseAnnotateOptions(args);
  std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(arguments.has_value()) << text;
  return text;
}

TEST(AnnotateOptions, NothingMeansTheHottestOfProfData) {
  const AnnotateArguments arguments = Parse({});
  EXPECT_THAT(arguments.inputs, ElementsAre("prof.data"));
  EXPECT_TRUE(arguments.query.empty());
  EXPECT_EQ(arguments.text.view, report::AnnotateView::kMixed);
  EXPECT_EQ(arguments.disassembly.syntax, disasm::Syntax::kAtt);
  EXPECT_TRUE(arguments.pager);
}

TEST(AnnotateOptions, TheFunctionMayComeAnywhere) {
  EXPECT_EQ(Parse({"main", "--json"}).query, "main");
  EXPECT_EQ(Parse({"--json", "main"}).query, "main");
  EXPECT_EQ(Parse({"-i", "a", "main"}).query, "main");
  EXPECT_EQ(Parse({"-s", "main"}).query, "main");
  EXPECT_THAT(Refusal({"main", "f"}), HasSubstr("one function at a time: 'main' and 'f'\nhint: "));
}

TEST(AnnotateOptions, TwoInputsAreCompared) {
  EXPECT_THAT(Parse({"-i", "a", "-i", "b", "f"}).inputs, ElementsAre("a", "b"));
  EXPECT_THAT(Refusal({"-i", "a", "-i", "b", "-i", "c"}), HasSubstr("two recordings"));
  EXPECT_THAT(Refusal({"-i", "-", "-i", "-"}), HasSubstr("standard input can be read once"));
  EXPECT_THAT(Refusal({"-i", "a", "-i", "b", "--all"}), HasSubstr("--all"));
}

TEST(AnnotateOptions, Views) {
  EXPECT_EQ(Parse({"--source-only"}).text.view, report::AnnotateView::kSourceOnly);
  EXPECT_EQ(Parse({"--asm-only"}).text.view, report::AnnotateView::kAsmOnly);
  const AnnotateArguments without = Parse({"--no-source"});
  EXPECT_EQ(without.text.view, report::AnnotateView::kAsmOnly);
  EXPECT_FALSE(without.read_sources);
  EXPECT_THAT(Refusal({"--source-only", "--asm-only"}), HasSubstr("--source-only excludes"));
  EXPECT_THAT(Refusal({"--source", "--asm-only"}), HasSubstr("exclude each other"));
}

TEST(AnnotateOptions, PercentTypesInEitherOrder) {
  const auto global = Parse({"--percent-type", "global-hits"}).text;
  EXPECT_EQ(global.base, report::PercentBase::kGlobal);
  EXPECT_EQ(global.unit, report::PercentUnit::kHits);
  const auto local = Parse({"--percent-type", "period-local"}).text;
  EXPECT_EQ(local.base, report::PercentBase::kLocal);
  EXPECT_EQ(local.unit, report::PercentUnit::kPeriod);
  for (const char* wrong : {"local", "global-local", "hits-period", "local-hits-period", ""}) {
    EXPECT_THAT(Refusal({"--percent-type", wrong}), HasSubstr("is none of the four")) << wrong;
  }
}

TEST(AnnotateOptions, NumbersAndSyntax) {
  const AnnotateArguments arguments =
      Parse({"-n", "-M", "intel", "--asm-raw", "-l", "-P", "--percent-limit", "0.5"});
  EXPECT_TRUE(arguments.text.show_samples);
  EXPECT_EQ(arguments.disassembly.syntax, disasm::Syntax::kIntel);
  EXPECT_TRUE(arguments.text.raw_bytes);
  EXPECT_TRUE(arguments.text.line_numbers);
  EXPECT_TRUE(arguments.text.full_paths);
  EXPECT_DOUBLE_EQ(arguments.text.percent_limit, 0.5);
  EXPECT_THAT(Refusal({"-n", "--show-total-period"}), HasSubstr("exclude each other"));
  EXPECT_THAT(Refusal({"-M", "arm"}), HasSubstr("arm"));
  EXPECT_THAT(Refusal({"--percent-limit", "101"}), HasSubstr("--percent-limit"));
}

TEST(AnnotateOptions, FiltersAreThoseOfReport) {
  const AnnotateArguments arguments = Parse({"-d", "libc.so.6", "-C", "0-1", "-c", "app", "--pid",
                                             "7", "--tid", "8,9", "--time", "10%-20%"});
  EXPECT_THAT(arguments.scope.filter.dsos, ElementsAre("libc.so.6"));
  EXPECT_THAT(arguments.scope.filter.cpus, ElementsAre(0, 1));
  EXPECT_THAT(arguments.scope.filter.comms, ElementsAre("app"));
  EXPECT_THAT(arguments.scope.filter.pids, ElementsAre(7U));
  EXPECT_THAT(arguments.scope.filter.tids, ElementsAre(8U, 9U));
  EXPECT_TRUE(arguments.time.begin && arguments.time.end);
  EXPECT_EQ(arguments.filters.size(), 6U);
}

TEST(AnnotateOptions, SourcesAreLookedForWhereTheUserSays) {
  const AnnotateArguments arguments = Parse(
      {"--prefix", "/src", "--prefix-strip", "2", "--source-path", "a", "--source-path", "b"});
  EXPECT_EQ(arguments.source.prefix, "/src");
  EXPECT_EQ(arguments.source.strip_folders, 2U);
  EXPECT_THAT(arguments.source.folders, ElementsAre("a", "b"));
}

TEST(AnnotateOptions, HelpExplainsEverything) {
  ::testing::internal::CaptureStdout();
  const auto arguments = ParseAnnotateOptions({"--help"});
  const std::string help = ::testing::internal::GetCapturedStdout();
  ASSERT_FALSE(arguments.has_value());
  EXPECT_EQ(arguments.error(), 0);
  for (const char* option : {"--source-only", "--asm-raw", "--percent-type", "--source-path",
                             "--objdump", "--skip-missing", "--no-pager", "--debuginfod"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
  std::size_t begin = 0;
  while (begin < help.size()) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace prof::tools
