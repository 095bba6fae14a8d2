// The command line of prof diff.
#include "diff_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::tools {
namespace {

using analysis::SortKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DiffArguments Parse(const std::vector<std::string>& args) {
  auto arguments = ParseDiffArguments(args);
  EXPECT_TRUE(arguments.has_value());
  return arguments ? *arguments : DiffArguments{};
}

// What is printed when `args` are refused.
std::string Refusal(const std::vector<std::string>& args) {
  ::testing::internal::CaptureStderr();
  const auto arguments = ParseDiffArguments(args);
  std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(arguments.has_value()) << text;
  return text;
}

TEST(DiffArguments, NothingComparesTheLastTwoRecordings) {
  const DiffArguments arguments = Parse({});
  EXPECT_EQ(arguments.files, (SidePair{{"prof.data.old"}, {"prof.data"}}));
  EXPECT_TRUE(arguments.default_files);
  EXPECT_EQ(arguments.view, DiffView::kText);
  EXPECT_THAT(arguments.diff.keys, ElementsAre(SortKey::kDso, SortKey::kSym));
  EXPECT_EQ(arguments.diff.alpha, 0.05);
  EXPECT_FALSE(arguments.diff.tree);
  EXPECT_FALSE(arguments.runs.has_value());
  EXPECT_TRUE(arguments.pager);
}

TEST(DiffArguments, OptionsMayFollowFilesAndSeparators) {
  const DiffArguments arguments = Parse({"b1", "--all", "b2", "--", "a1", "-", "-n", "--json"});
  EXPECT_EQ(arguments.files, (SidePair{{"b1", "b2"}, {"a1", "-"}}));
  EXPECT_FALSE(arguments.default_files);
  EXPECT_TRUE(arguments.text.all_rows);
  EXPECT_TRUE(arguments.text.samples);
  EXPECT_EQ(arguments.view, DiffView::kJson);
}

TEST(DiffArguments, SidesThatAreNoneAreRefused) {
  EXPECT_THAT(Refusal({"a", "b", "c"}), HasSubstr("prof diff: 3 files, and no --"));
  EXPECT_THAT(Refusal({"a", "--", "b", "--", "c"}), HasSubstr("-- is given twice"));
  EXPECT_THAT(Refusal({"a", "--"}), HasSubstr("no files behind --"));
  EXPECT_THAT(Refusal({"a", "b", "-S", "--"}), HasSubstr("-- stands where the value"));
  EXPECT_THAT(Refusal({"a", "b", "--al"}), HasSubstr("unknown option --al\nhint: "));
}

TEST(DiffArguments, Keys) {
  EXPECT_THAT(Parse({"-s", "comm,symbol"}).diff.keys, ElementsAre(SortKey::kComm, SortKey::kSym));
  EXPECT_THAT(Parse({"-s", "+tid"}).diff.keys,
              ElementsAre(SortKey::kDso, SortKey::kSym, SortKey::kTid));
  EXPECT_THAT(Parse({"--by", "srcline"}).diff.keys, ElementsAre(SortKey::kSrcLine));
  EXPECT_THAT(Parse({"--by", "function"}).diff.keys, ElementsAre(SortKey::kDso, SortKey::kSym));
  EXPECT_THAT(Refusal({"-s", "parent"}), HasSubstr("--sort: unknown key 'parent'\nhint: keys are"));
  EXPECT_THAT(Refusal({"-s", ","}), HasSubstr("no key"));
  EXPECT_THAT(Refusal({"--by", "line"}), HasSubstr("--by: unknown key 'line'"));
  EXPECT_THAT(Refusal({"--by", "dso", "-s", "dso"}), HasSubstr("exclude each other"));
}

TEST(DiffArguments, PerfsTable) {
  EXPECT_EQ(Parse({"-c", "ratio"}).view, DiffView::kPerf);
  EXPECT_EQ(Parse({"-c", "ratio"}).perf.compute, report::PerfCompute::kRatio);
  EXPECT_EQ(Parse({"-c", "delta"}).perf.compute, report::PerfCompute::kDelta);
  const DiffArguments weighted = Parse({"-c", "wdiff:2,-3", "-o", "0", "-pFb", "-t", ";", "-q"});
  EXPECT_EQ(weighted.perf.compute, report::PerfCompute::kWeightedDiff);
  EXPECT_EQ(weighted.perf.weight_before, 2);
  EXPECT_EQ(weighted.perf.weight_after, -3);
  EXPECT_EQ(weighted.perf.order, 0U);
  EXPECT_TRUE(weighted.perf.period && weighted.perf.formula && weighted.perf.baseline_only);
  EXPECT_EQ(weighted.perf.separator, ";");
  EXPECT_TRUE(weighted.perf.quiet);
  for (const char* option : {"-p", "-F", "-b"}) {
    const DiffArguments alone = Parse({option});
    EXPECT_EQ(alone.view, DiffView::kPerf) << option;
    EXPECT_EQ(alone.perf.compute, report::PerfCompute::kDeltaAbs) << option;
  }
  for (const char* wrong :
       {"wdiff", "wdiff:0,1", "wdiff:", "wdiff:1", "wdiff:1,2,3", "wdiff:x,1", "", "sum"})
    EXPECT_THAT(Refusal({"-c", wrong}), HasSubstr("prof diff: -c: '")) << wrong;
  EXPECT_THAT(Refusal({"-c", "cycles"}), HasSubstr("branch records"));
  EXPECT_THAT(Refusal({"-o", "2"}), HasSubstr("-o: '2' is no column"));
}

TEST(DiffArguments, OneViewAtATime) {
  EXPECT_THAT(Refusal({"--json", "--folded"}), HasSubstr("--json and --folded exclude"));
  EXPECT_THAT(Refusal({"--folded", "-p"}), HasSubstr("--folded and --period exclude"));
  EXPECT_THAT(Refusal({"--annotate", "f", "-c", "delta"}), HasSubstr("--annotate and --compute"));
}

TEST(DiffArguments, TreesAreMadeWhereTheyAreShown) {
  EXPECT_TRUE(Parse({"--folded"}).diff.tree);
  EXPECT_FALSE(Parse({"--json"}).diff.tree);
  EXPECT_TRUE(Parse({"--json", "-g"}).diff.tree);
  EXPECT_FALSE(Parse({"-g"}).diff.tree);
  EXPECT_TRUE(Parse({"-g"}).diff.callers);
  EXPECT_TRUE(Parse({"-g"}).text.callers);
}

TEST(DiffArguments, FiltersHavePerfsLetters) {
  const DiffArguments arguments = Parse({"-C", "cc1,as", "-d", "libc.so.6", "-S", "main", "--cpu",
                                         "0-1", "--pid", "7", "--time", "10%-20%"});
  EXPECT_THAT(arguments.diff.filter.comms, ElementsAre("cc1", "as"));
  EXPECT_THAT(arguments.diff.filter.dsos, ElementsAre("libc.so.6"));
  EXPECT_THAT(arguments.diff.filter.symbols, ElementsAre("main"));
  EXPECT_THAT(arguments.diff.filter.cpus, ElementsAre(0, 1));
  EXPECT_THAT(arguments.diff.filter.pids, ElementsAre(7U));
  EXPECT_EQ(arguments.time_before.begin->value, 10);
  EXPECT_EQ(arguments.time_after.begin->value, 10);
  EXPECT_THAT(arguments.filters, ElementsAre("comm: cc1,as", "dso: libc.so.6", "pid: 7", "cpu: 0-1",
                                             "time: 10%-20%", "symbol: main"));
}

TEST(DiffArguments, TimesOfTheSidesMayDiffer) {
  const DiffArguments arguments = Parse({"--time", "1,2:3,"});
  EXPECT_EQ(arguments.time_before.end->value, 2);
  EXPECT_EQ(arguments.time_after.begin->value, 3);
  EXPECT_FALSE(arguments.time_after.end.has_value());
  EXPECT_THAT(Refusal({"--time", "1,2:"}), HasSubstr("is not a range of time"));
}

TEST(DiffArguments, NumbersAreChecked) {
  EXPECT_EQ(Parse({"--alpha", "0.01"}).diff.alpha, 0.01);
  EXPECT_EQ(Parse({"--fail-if-slower", "2%"}).fail_if_slower, 2.0);
  EXPECT_EQ(Parse({"--fail-if-slower", "2.5"}).fail_if_slower, 2.5);
  EXPECT_THAT(Refusal({"--alpha", "0.9"}), HasSubstr("above 0.5"));
  for (const char* wrong : {"0", "-1", "x", "nan", "2%%", ""}) {
    EXPECT_THAT(Refusal({"--alpha=" + std::string(wrong)}), HasSubstr("prof diff: ")) << wrong;
    EXPECT_THAT(Refusal({"--fail-if-slower=" + std::string(wrong)}), HasSubstr("prof diff: "))
        << wrong;
  }
}

TEST(DiffArguments, RenamesAndEvents) {
  const DiffArguments arguments =
      Parse({"--map", "a-1=a-2", "--map", "b=c=d", "-e", "cycles,cpu/event=1,umask=2/", "-e", "x"});
  ASSERT_EQ(arguments.diff.renames.size(), 2U);
  EXPECT_EQ(arguments.diff.renames[0].old_name, "a-1");
  EXPECT_EQ(arguments.diff.renames[0].new_name, "a-2");
  EXPECT_EQ(arguments.diff.renames[1].new_name, "c=d");
  EXPECT_THAT(arguments.diff.events, ElementsAre("cycles", "cpu/event=1,umask=2/", "x"));
  for (const char* wrong : {"a", "=b", "a="})
    EXPECT_THAT(Refusal({"--map", wrong}), HasSubstr("is not OLD=NEW")) << wrong;
}

TEST(DiffArguments, AnnotateTakesOneRecordingOfEachSide) {
  const DiffArguments arguments = Parse({"--annotate", "f", "a", "b", "--json"});
  EXPECT_EQ(arguments.view, DiffView::kAnnotate);
  EXPECT_EQ(arguments.symbol, "f");
  EXPECT_TRUE(arguments.json);
  EXPECT_THAT(Refusal({"--annotate", "f", "a", "--", "b", "c"}),
              HasSubstr("one recording of each side; there are 2 of after\nhint: prof diff "
                        "--annotate f a b"));
  EXPECT_THAT(Refusal({"--annotate", "", "a", "b"}), HasSubstr("is empty"));
  EXPECT_THAT(Refusal({"--annotate", "f", "--runs", "3", "a", "--", "b"}), HasSubstr("--keep DIR"));
  EXPECT_THAT(Refusal({"--annotate", "f", "--fail-if-slower", "1"}), HasSubstr("judges the whole"));
  EXPECT_THAT(Refusal({"--annotate", "f", "--time", "1,2:1,3"}), HasSubstr("one --time"));
}

TEST(DiffArguments, RunsRecordWithOptionsOfRecord) {
  const DiffArguments arguments =
      Parse({"--runs", "5", "-F", "999", "-g", "-e", "cycles,page-faults", "--record",
             "--all-user -m '8M'", "./old", "-n", "--all", "--", "./new", "-g"});
  ASSERT_TRUE(arguments.runs.has_value());
  EXPECT_EQ(arguments.runs->runs, 5U);
  EXPECT_EQ(arguments.runs->warmups, 1U);
  EXPECT_EQ(arguments.runs->commands, (SidePair{{"./old", "-n", "--all"}, {"./new", "-g"}}));
  EXPECT_THAT(arguments.runs->record,
              ElementsAre("-e", "cycles,page-faults", "-F", "999", "-g", "--all-user", "-m", "8M"));
  EXPECT_THAT(arguments.diff.events, IsEmpty());
  EXPECT_FALSE(arguments.text.all_rows);
  EXPECT_EQ(arguments.view, DiffView::kText);
}

TEST(DiffArguments, RunsOfEveryKind) {
  const auto runs = [](std::vector<std::string> args) {
    args.insert(args.end(), {"--", "a", "--", "b"});
    return Parse(args).runs.value_or(DiffRuns{});
  };
  EXPECT_EQ(runs({"--runs=3", "--warmup", "0"}).warmups, 0U);
  EXPECT_EQ(runs({"--runs=3"}).commands, (SidePair{{"a"}, {"b"}}));
  EXPECT_THAT(runs({"--runs=3", "--call-graph", "fp", "-g"}).record,
              ElementsAre("--call-graph", "fp"));
  EXPECT_THAT(runs({"--runs=3", "--freq", "max", "--count", "5"}).record,
              ElementsAre("-F", "max", "-c", "5"));
  EXPECT_EQ(runs({"--runs=3", "--keep", "dir"}).keep, "dir");
}

TEST(DiffArguments, RunsThatAreNoneAreRefused) {
  EXPECT_THAT(Refusal({"--runs", "0", "a", "--", "b"}), HasSubstr("--runs: '0'"));
  EXPECT_THAT(Refusal({"--runs", "10001", "a", "--", "b"}), HasSubstr("too large"));
  EXPECT_THAT(Refusal({"--runs", "3", "a"}), HasSubstr("no -- between the two commands"));
  EXPECT_THAT(Refusal({"--runs", "3"}), HasSubstr("no commands to compare"));
  EXPECT_THAT(Refusal({"--runs", "3", "--alpa", "1", "a", "--", "b"}),
              HasSubstr("unknown option --alpa\nhint: did you mean --alpha?"));
  EXPECT_THAT(Refusal({"--runs", "3", "--record", "'a", "a", "--", "b"}), HasSubstr("--record: "));
  EXPECT_THAT(Refusal({"a", "b", "--runs", "3"}), HasSubstr("--runs comes behind it"));
}

TEST(DiffArguments, OptionsOfRecordingsNeedRuns) {
  for (const char* option : {"--warmup=1", "--freq=99", "--count=5", "--call-graph=fp",
                             "--record=x", "--keep=x", "--show-output", "--ignore-failure"}) {
    EXPECT_THAT(Refusal({option, "a", "b"}), HasSubstr("is about recordings that --runs makes"))
        << option;
  }
}

TEST(DiffArguments, HelpIsNoError) {
  ::testing::internal::CaptureStdout();
  const auto arguments = ParseDiffArguments({"--help"});
  const std::string help = ::testing::internal::GetCapturedStdout();
  ASSERT_FALSE(arguments.has_value());
  EXPECT_EQ(arguments.error(), 0);
  EXPECT_THAT(help, HasSubstr("Usage: prof diff [OPTIONS] [BEFORE AFTER]\n"));
  EXPECT_THAT(help, HasSubstr("--fail-if-slower P"));
}

}  // namespace
}  // namespace prof::tools
