#include "report_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "call_graph_option.h"
#include "command.h"

namespace prof::tools {
namespace {

using analysis::CallGraphOrder;
using analysis::CallGraphStyle;
using analysis::CallGraphValue;
using analysis::SortKey;
using report::Column;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReportOptions Parse(const std::vector<std::string>& args) {
  auto options = ParseReportOptions(args);
  EXPECT_TRUE(options.has_value());
  return options.value_or(ReportOptions{});
}

// The error text of arguments that must be refused.
std::string ErrorOf(const std::vector<std::string>& args) {
  testing::internal::CaptureStderr();
  const auto options = ParseReportOptions(args);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(options.has_value());
  if (!options) {
    EXPECT_EQ(options.error(), kExitFailure);
  }
  return text;
}

TEST(ReportOptionsTest, DefaultsAreThoseOfPerf) {
  const ReportOptions options = Parse({});
  EXPECT_EQ(options.input, "prof.data");
  EXPECT_THAT(options.table.sort, ElementsAre(SortKey::kComm, SortKey::kDso, SortKey::kSym));
  EXPECT_TRUE(options.table.children);
  EXPECT_TRUE(options.table.inlines);
  EXPECT_EQ(options.table.call_graph.style, CallGraphStyle::kGraph);
  EXPECT_EQ(options.table.call_graph.min_percent, 0.5);
  EXPECT_FALSE(options.table.call_graph.order.has_value());
  EXPECT_EQ(options.table.names, analysis::NameStyle::kPlain);
}

TEST(ReportOptionsTest, FlagsAndValuesReachTheirPlace) {
  const ReportOptions options = Parse({"-i",
                                       "x.data",
                                       "--no-children",
                                       "--no-inline",
                                       "-n",
                                       "-T",
                                       "--show-total-period",
                                       "--ci",
                                       "-q",
                                       "-v",
                                       "--header",
                                       "--json",
                                       "--percent-limit",
                                       "2.5",
                                       "--percentage",
                                       "relative",
                                       "--max-stack",
                                       "7",
                                       "--names",
                                       "short",
                                       "-p",
                                       "^main",
                                       "--symbol-filter",
                                       "alloc",
                                       "--ignore-callees",
                                       "a",
                                       "--ignore-callees",
                                       "b",
                                       "--stdio"});
  EXPECT_EQ(options.input, "x.data");
  EXPECT_FALSE(options.table.children);
  EXPECT_FALSE(options.table.inlines);
  EXPECT_TRUE(options.text.show_samples);
  EXPECT_TRUE(options.text.show_threads);
  EXPECT_TRUE(options.text.show_total_period);
  EXPECT_TRUE(options.text.interval);
  EXPECT_TRUE(options.text.quiet);
  EXPECT_TRUE(options.verbose);
  EXPECT_TRUE(options.header);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.table.percent_limit, 2.5);
  EXPECT_TRUE(options.table.relative_percentage);
  EXPECT_EQ(options.table.max_stack, 7U);
  EXPECT_EQ(options.table.names, analysis::NameStyle::kShort);
  EXPECT_EQ(options.table.parent_regex, "^main");
  EXPECT_EQ(options.table.filter.symbol_contains, "alloc");
  EXPECT_THAT(options.table.ignore_callees, ElementsAre("a", "b"));
}

TEST(ReportOptionsTest, FiltersAreLists) {
  const ReportOptions options = Parse({"-c", "sh,cc1", "-d", "libc.so.6", "-S", "main,f", "--pid",
                                       "1,2", "--tid", "3", "-C", "0-2,5"});
  EXPECT_THAT(options.table.filter.comms, ElementsAre("sh", "cc1"));
  EXPECT_THAT(options.table.filter.dsos, ElementsAre("libc.so.6"));
  EXPECT_THAT(options.table.filter.symbols, ElementsAre("main", "f"));
  EXPECT_THAT(options.table.filter.pids, ElementsAre(1U, 2U));
  EXPECT_THAT(options.table.filter.tids, ElementsAre(3U));
  EXPECT_THAT(options.table.filter.cpus, ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(options.filters, ElementsAre("comm: sh,cc1", "dso: libc.so.6", "pid: 1,2", "tid: 3",
                                           "cpu: 0-2,5", "symbol: main,f"));
}

TEST(ReportOptionsTest, LongFormsWork) {
  const ReportOptions options =
      Parse({"--input=-", "--comms=sh", "--dsos=x", "--symbols=f", "--cpu=1", "--sort=dso",
             "--fields=sym", "--parent=m", "--inverted", "--field-separator=;", "--header-only",
             "--stats", "--quiet"});
  EXPECT_EQ(options.input, "-");
  EXPECT_THAT(options.table.sort, ElementsAre(SortKey::kDso, SortKey::kSym));
  EXPECT_EQ(options.text.separator, ";");
  EXPECT_EQ(options.table.call_graph.order, CallGraphOrder::kCaller);
  EXPECT_TRUE(options.header_only);
  EXPECT_TRUE(options.stats);
}

TEST(ReportOptionsTest, LastOfRepeatedOptionsWins) {
  EXPECT_THAT(Parse({"-s", "dso", "-s", "comm"}).table.sort, ElementsAre(SortKey::kComm));
  EXPECT_TRUE(Parse({"--no-children", "--children"}).table.children);
  EXPECT_FALSE(Parse({"--children", "--no-children"}).table.children);
}

TEST(ReportOptionsTest, SortTakesColumnNamesAndAdditions) {
  EXPECT_THAT(Parse({"--sort=overhead"}).table.sort, IsEmpty());
  EXPECT_THAT(Parse({"-s", "overhead,dso,symbol"}).table.sort,
              ElementsAre(SortKey::kDso, SortKey::kSym));
  EXPECT_THAT(Parse({"-s", "+cpu"}).table.sort,
              ElementsAre(SortKey::kComm, SortKey::kDso, SortKey::kSym, SortKey::kCpu));
  EXPECT_THAT(Parse({"-s", "pid,tid,srcline,srcfile,cpu,time,event"}).table.sort,
              ElementsAre(SortKey::kPid, SortKey::kTid, SortKey::kSrcLine, SortKey::kSrcFile,
                          SortKey::kCpu, SortKey::kTime, SortKey::kEvent));
  EXPECT_THAT(ErrorOf({"-s", "nope"}),
              HasSubstr("--sort: unknown key 'nope'\nhint: keys are overhead"));
}

TEST(ReportOptionsTest, FieldsAreColumnsAndKeys) {
  const ReportOptions options = Parse({"-F", "sym,overhead,sample,period"});
  EXPECT_THAT(
      options.text.fields,
      ElementsAre(report::Field{Column::kKey, SortKey::kSym}, report::Field{Column::kOverhead, {}},
                  report::Field{Column::kSamples, {}}, report::Field{Column::kPeriod, {}}));
  EXPECT_THAT(options.table.sort, ElementsAre(SortKey::kSym));
  EXPECT_FALSE(options.table.children);
  EXPECT_TRUE(Parse({"-F", "overhead_children,overhead,sym"}).table.children);
  EXPECT_THAT(Parse({"-F", "overhead,sym", "-s", "comm"}).table.sort,
              ElementsAre(SortKey::kComm, SortKey::kSym));
}

TEST(ReportOptionsTest, CallGraphAloneIsTheDefaultOfPerf) {
  for (const char* form : {"-g", "--call-graph"}) {
    const auto graph = Parse({form}).table.call_graph;
    EXPECT_EQ(graph.style, CallGraphStyle::kGraph);
    EXPECT_EQ(graph.min_percent, 0.5);
    EXPECT_EQ(graph.order, CallGraphOrder::kCaller);
  }
  EXPECT_EQ(Parse({"-g", "-n"}).table.call_graph.order, CallGraphOrder::kCaller);
  EXPECT_TRUE(Parse({"-g", "-n"}).text.show_samples);
}

TEST(ReportOptionsTest, CallGraphTakesTheNextWordOnlyIfItIsOne) {
  EXPECT_EQ(Parse({"-g", "flat"}).table.call_graph.style, CallGraphStyle::kFlat);
  EXPECT_EQ(Parse({"--call-graph", "none"}).table.call_graph.style, CallGraphStyle::kNone);
  EXPECT_EQ(Parse({"--call-graph=folded"}).table.call_graph.style, CallGraphStyle::kFolded);
  EXPECT_THAT(
      ErrorOf({"-g", "prof.data.old"}),
      HasSubstr("-g: 'prof.data.old' is no call graph\nhint: -g graph,0.5,caller; or, for a "
                "file: prof report -g -i prof.data.old"));
  EXPECT_THAT(ErrorOf({"prof.data.old"}),
              HasSubstr("unexpected argument 'prof.data.old'\nhint: prof report -i prof.data.old "
                        "reads that file"));
}

TEST(ReportOptionsTest, CallGraphMayBeAttachedOrClustered) {
  EXPECT_EQ(Parse({"-gcallee"}).table.call_graph.order, CallGraphOrder::kCallee);
  const ReportOptions options = Parse({"-ngfractal,2"});
  EXPECT_TRUE(options.text.show_samples);
  EXPECT_EQ(options.table.call_graph.style, CallGraphStyle::kFractal);
  EXPECT_EQ(options.table.call_graph.min_percent, 2);
  EXPECT_THAT(ErrorOf({"-gnope"}),
              HasSubstr("--call-graph: 'nope' is not part of a call graph\nhint: TYPE,MIN,"));
}

TEST(ReportOptionsTest, CallGraphTakesEveryPart) {
  const auto graph = Parse({"-g", "fractal,1.5,3,callee,address,count"}).table.call_graph;
  EXPECT_EQ(graph.style, CallGraphStyle::kFractal);
  EXPECT_EQ(graph.min_percent, 1.5);
  EXPECT_EQ(graph.print_limit, 3U);
  EXPECT_EQ(graph.order, CallGraphOrder::kCallee);
  EXPECT_TRUE(graph.by_address);
  EXPECT_EQ(graph.value, CallGraphValue::kCount);
  EXPECT_EQ(Parse({"-g", "period"}).table.call_graph.value, CallGraphValue::kPeriod);
  analysis::CallGraphOptions scratch;
  EXPECT_FALSE(ParseCallGraph("1,2,3", scratch).has_value());
}

TEST(ReportOptionsTest, InvertedIsCallerOrder) {
  EXPECT_EQ(Parse({"-G"}).table.call_graph.order, CallGraphOrder::kCaller);
  EXPECT_EQ(Parse({"-G", "-g", "flat,callee"}).table.call_graph.order, CallGraphOrder::kCaller);
  EXPECT_EQ(Parse({"--no-call-graph"}).table.call_graph.style, CallGraphStyle::kNone);
}

TEST(ReportOptionsTest, SeparatorMayBeATab) {
  EXPECT_EQ(Parse({"-t", ","}).text.separator, ",");
  EXPECT_EQ(Parse({"-t", "\\t"}).text.separator, "\t");
}

TEST(ReportOptionsTest, ColourModes) {
  EXPECT_EQ(Parse({}).color, ColorMode::kAuto);
  EXPECT_EQ(Parse({"--stdio-color", "always"}).color, ColorMode::kAlways);
  EXPECT_EQ(Parse({"--stdio-color=never"}).color, ColorMode::kNever);
}

TEST(ReportOptionsTest, WrongValuesAreRefusedWithTheOption) {
  EXPECT_THAT(ErrorOf({"--pid", "abc"}), HasSubstr("--pid: 'abc' is not a number"));
  EXPECT_THAT(ErrorOf({"-C", "3-1"}), HasSubstr("--cpu: '3-1' is not a CPU"));
  EXPECT_THAT(ErrorOf({"-C", "0-999999999"}), HasSubstr("--cpu"));
  EXPECT_THAT(ErrorOf({"--time", "later"}), HasSubstr("--time: 'later' is not a range of time"));
  EXPECT_THAT(ErrorOf({"--percent-limit", "many"}), HasSubstr("prof report: "));
  EXPECT_THAT(ErrorOf({"--childen"}), HasSubstr("did you mean --children?"));
}

TEST(ReportOptionsTest, HelpHasExamplesAndSucceeds) {
  testing::internal::CaptureStdout();
  const auto options = ParseReportOptions({"--help"});
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("Examples:\n  prof report "));
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error(), 0);
}

constexpr std::uint64_t kBegin = 1'000'000'000'000;  // 1000 s of the clock
constexpr std::uint64_t kEnd = kBegin + 10'000'000'000;

std::pair<std::uint64_t, std::uint64_t> Resolved(std::string_view text) {
  const auto range = ParseTimeRange(text);
  EXPECT_TRUE(range.has_value()) << text;
  return ResolveTimeRange(range.value_or(TimeRange{}), kBegin, kEnd);
}

TEST(TimeOptionTest, SecondsCountFromTheBeginning) {
  EXPECT_EQ(Resolved("1,2.5"), std::pair(kBegin + 1'000'000'000, kBegin + 2'500'000'000));
  EXPECT_EQ(Resolved("1,"), std::pair(kBegin + 1'000'000'000, ~std::uint64_t{0}));
  EXPECT_EQ(Resolved(",2"), std::pair(std::uint64_t{0}, kBegin + 2'000'000'000));
}

TEST(TimeOptionTest, LargerSecondsAreTimesOfTheClock) {
  EXPECT_EQ(Resolved("1001,1002"), std::pair(kBegin + 1'000'000'000, kBegin + 2'000'000'000));
}

TEST(TimeOptionTest, SharesAreOfTheRecording) {
  EXPECT_EQ(Resolved("10%-20%"), std::pair(kBegin + 1'000'000'000, kBegin + 2'000'000'000));
  EXPECT_EQ(Resolved("10%"), std::pair(kBegin, kBegin + 1'000'000'000));
  EXPECT_EQ(Resolved("10%/2"), std::pair(kBegin + 1'000'000'000, kBegin + 2'000'000'000));
}

TEST(TimeOptionTest, NonsenseIsRefused) {
  for (const char* text :
       {"", ",", "2,1", "5", "120%", "10%/0", "10%/11", "a,b", "nan,1", "-1,2"}) {
    EXPECT_FALSE(ParseTimeRange(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace prof::tools
