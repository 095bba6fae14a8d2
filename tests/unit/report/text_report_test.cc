#include "prof/report/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/report/sample_data.h"

namespace prof::report {
namespace {

using analysis::SortKey;
using ::testing::HasSubstr;
using ::testing::Not;

TextOptions NoHonesty() {
  TextOptions options;
  options.honesty = false;
  return options;
}

std::size_t LongestLine(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  return longest;
}

TEST(TextReportTest, ColumnsAreThoseOfPerf) {
  EXPECT_EQ(RenderText(test::SampleData(), NoHonesty()),
            "# Total Lost Samples: 0\n"
            "#\n"
            "# Samples: 4K of event 'cpu-clock'\n"
            "# Event count (approx.): 4000000000\n"
            "#\n"
            "# Overhead  Command      Shared Object      Symbol\n"
            "# ........  ...........  .................  ....................................\n"
            "#\n"
            "    75.00%  app          app                [.] std::map<int, std::string>::find\n"
            "     1.00%  app          [kernel.kallsyms]  [k] do_syscall_64\n"
            "     0.10%  kworker/0:1  libc.so.6          [.] malloc\n"
            "\n");
}

TEST(TextReportTest, ChildrenComeBeforeSelf) {
  ReportData data = test::SampleData();
  data.tables[0].children = true;
  data.tables[0].rows.resize(1);
  data.tables[0].rows[0].children_weight = 4'000'000'000;
  EXPECT_THAT(
      RenderText(data, NoHonesty()),
      HasSubstr(
          "# Children      Self  Command  Shared Object  Symbol\n"
          "# ........  ........  .......  .............  ....................................\n"
          "#\n"
          "   100.00%    75.00%  app      app            [.] std::map<int, std::string>::find\n"));
}

TEST(TextReportTest, SamplesAndPeriodsHaveColumns) {
  TextOptions options = NoHonesty();
  options.show_samples = options.show_total_period = true;
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text, HasSubstr("# Overhead       Samples        Period  Command "));
  EXPECT_THAT(text, HasSubstr("    75.00%          3000    3000000000  app "));
}

TEST(TextReportTest, IntervalColumnShowsHalfTheWilsonInterval) {
  TextOptions options = NoHonesty();
  options.interval = true;
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text, HasSubstr("# Overhead   95% +-  Command "));
  EXPECT_THAT(text, HasSubstr("    75.00%    1.34%  app "));
}

TEST(TextReportTest, SeparatorLeavesOutPadding) {
  TextOptions options = NoHonesty();
  options.separator = ",";
  options.show_samples = true;
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text, HasSubstr("# Overhead,Samples,Command,Shared Object,Symbol\n"
                              "75.00%,3000,app,app,[.] std::map<int. std::string>::find\n"
                              "1.00%,40,app,[kernel.kallsyms],[k] do_syscall_64\n"));
}

TEST(TextReportTest, FieldsChooseTheirOrderAndSortKeysLeftOutFollow) {
  TextOptions options = NoHonesty();
  options.fields = {{Column::kOverhead, {}}, {Column::kKey, SortKey::kSym}, {Column::kSamples, {}}};
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text, HasSubstr("# Overhead  Symbol                                     Samples  "
                              "Command      Shared Object\n"));
  EXPECT_THAT(text, HasSubstr("     0.10%  [.] malloc                                       4  "
                              "kworker/0:1  libc.so.6\n"));
}

TEST(TextReportTest, QuietPrintsRowsOnly) {
  TextOptions options;
  options.quiet = true;
  EXPECT_EQ(RenderText(test::SampleData(), options),
            "    75.00%  app          app                [.] std::map<int, std::string>::find\n"
            "     1.00%  app          [kernel.kallsyms]  [k] do_syscall_64\n"
            "     0.10%  kworker/0:1  libc.so.6          [.] malloc\n"
            "\n");
}

TEST(TextReportTest, EveryEventHasASection) {
  ReportData data = test::SampleData();
  data.events.push_back(data.events[0]);
  data.events[1].name = "task-clock";
  data.tables.push_back(data.tables[0]);
  data.tables[1].event = 1;
  EXPECT_THAT(RenderText(data, NoHonesty()),
              HasSubstr("malloc\n\n\n# Samples: 4K of event 'task-clock'\n"));
}

TEST(TextReportTest, HonestyBlockComesFirstAsComments) {
  EXPECT_THAT(RenderText(test::SampleData(), TextOptions{}),
              ::testing::StartsWith("# cpu-clock, 997 Hz: 4000 samples in 4.00 s\n"
                                    "# target: 3.90 s CPU in 4.00 s wall; prof itself: 0.02 s CPU\n"
                                    "#\n"
                                    "# Total Lost Samples: 0\n"));
}

TEST(TextReportTest, PipeOutputIsNeverCut) {
  ReportData data = test::SampleData();
  data.tables[0].rows[0].keys[2] = std::string(3000, 'x');
  EXPECT_THAT(RenderText(data, TextOptions{}), HasSubstr(std::string(3000, 'x')));
}

TEST(TextReportTest, AnEndlessNameInAPipeStandsWholeButDrawsNoEndlessRule) {
  ReportData data = test::SampleData();
  const std::string name(300, 'x');
  data.tables[0].rows[0].keys[2] = name;
  const std::string text = RenderText(data, NoHonesty());
  EXPECT_THAT(text, HasSubstr(name + "\n"));
  EXPECT_THAT(text, HasSubstr(" " + std::string(80, '.') + "\n"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(81, '.'))));
}

TEST(TextReportTest, TerminalWidthIsKept) {
  ReportData data = test::SampleData();
  data.tables[0].children = true;
  data.tables[0].rows[0].keys = {
      "a-long-command", "a_shared_library_with_a_long_name.so.6.0.30",
      "std::_Rb_tree<std::string, std::pair<std::string const, int>>::_M_erase(void*, long)"};
  data.info.notes = {std::string("this is a sentence with many words that goes on and on, longer "
                                 "than any terminal here ") +
                     "which is not at all unusual for explanations of what went wrong"};
  for (const int width : {60, 80, 120}) {
    TextOptions options;
    options.width = width;
    const std::string text = RenderText(data, options);
    EXPECT_LE(LongestLine(text), static_cast<std::size_t>(width)) << text;
    EXPECT_THAT(text, HasSubstr("_erase")) << text;
  }
}

TEST(TextReportTest, WrappedCommentsKeepTheirIndentation) {
  ReportData data = test::SampleData();
  data.honesty.events[0].cpu_used_ns = 4'000'000'000;
  data.honesty.events[0].cpu_gaps = {{.comm = "sh",
                                      .used_ns = 400'000'000,
                                      .sampled_ns = 0,
                                      .processes = 500,
                                      .unsampled_processes = 412,
                                      .unsampled_used_ns = 400'000'000}};
  TextOptions options;
  options.width = 60;
  EXPECT_THAT(RenderText(data, options),
              HasSubstr("\n#   sh: 412 processes ended before their first sample:\n"
                        "#     0.40 s not seen\n"));
}

TEST(TextReportTest, TemplateArgumentsAreFoldedBeforeOtherColumnsShrink) {
  TextOptions options = NoHonesty();
  options.width = 70;
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text,
              HasSubstr("    75.00%  app          app                [.] std::map<...>::find\n"))
      << text;
}

TEST(TextReportTest, NarrowerThanSixtyColumnsIsLaidOutForSixty) {
  TextOptions narrow;
  narrow.width = 20;
  TextOptions sixty;
  sixty.width = 60;
  EXPECT_EQ(RenderText(test::SampleData(), narrow), RenderText(test::SampleData(), sixty));
}

TEST(TextReportTest, ColoursAreThoseOfPerfAndDoNotShiftColumns) {
  TextOptions options = NoHonesty();
  options.color = true;
  const std::string text = RenderText(test::SampleData(), options);
  EXPECT_THAT(text, HasSubstr("  \033[31m  75.00%\033[m  app "));
  EXPECT_THAT(text, HasSubstr("  \033[32m   1.00%\033[m  app "));
  EXPECT_THAT(text, HasSubstr("\n     0.10%  kworker"));
}

TEST(TextReportTest, AFilterThatLeavesNothingSaysSo) {
  ReportData data = test::SampleData();
  data.tables[0].rows.clear();
  data.tables[0].total_samples = 0;
  data.tables[0].filtered_samples = 4000;
  data.filters = {"comm: nope"};
  const std::string text = RenderText(data, NoHonesty());
  EXPECT_THAT(text, HasSubstr("# comm: nope\n"));
  EXPECT_THAT(text, HasSubstr("# none of the 4000 samples is in this view\n"));
}

TEST(TextReportTest, ThreadsAreListedOnRequest) {
  ReportData data = test::SampleData();
  data.threads = {
      {.pid = 10, .tid = 10, .comm = "app", .samples = {3990}, .weights = {3'990'000'000}},
      {.pid = 10, .tid = 11, .comm = "worker", .samples = {10}, .weights = {10'000'000}}};
  TextOptions options = NoHonesty();
  EXPECT_THAT(RenderText(data, options), Not(HasSubstr("TID")));
  options.show_threads = true;
  EXPECT_THAT(RenderText(data, options),
              ::testing::EndsWith("\n"
                                  "# PID  TID  Command   cpu-clock  Samples\n"
                                  "# ...  ...  .......  ..........  .......\n"
                                  "#\n"
                                  "   10   10  app      3990000000     3990\n"
                                  "   10   11  worker     10000000       10\n"));
}

TEST(TextReportTest, EscapeSequencesInNamesAreDisarmed) {
  ReportData data = test::SampleData();
  data.tables[0].rows[0].keys[0] = "\033[2J";
  EXPECT_THAT(RenderText(data, NoHonesty()), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace prof::report
