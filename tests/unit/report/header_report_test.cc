#include "prof/report/header_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/sample_data.h"

namespace prof::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HeaderReportTest, LinesAreCommentsAsInPerf) {
  ReportData data = test::SampleData();
  data.info.hostname = "box";
  data.info.os_release = "6.18.0";
  data.info.command_line = {"prof", "record", "-g", "./app"};
  data.info.target_command = {"./app"};
  data.info.call_graph = model::CallGraphMode::kAuto;
  data.info.stack_dump_bytes = 65528;
  const std::string text = RenderHeader(data);
  EXPECT_THAT(text, ::testing::StartsWith("# ========\n"));
  EXPECT_THAT(text, HasSubstr("# hostname : box\n# os release : 6.18.0\n"));
  EXPECT_THAT(text, HasSubstr("# cmdline : prof record -g ./app\n# target : command: ./app\n"));
  EXPECT_THAT(text, HasSubstr("# call graph : auto, 65528 bytes of stack\n"));
  EXPECT_THAT(text,
              HasSubstr("# event : name = cpu-clock, type = 0, config = 0x0, sample_freq = 997\n"));
  EXPECT_THAT(text, Not(HasSubstr("arch")));  // not known here
}

TEST(HeaderReportTest, SaysWhetherCodeAndSourcesAreInTheFile) {
  ReportData data = test::SampleData();
  const auto line = [&] {
    const std::string text = RenderHeader(data);
    const std::string start = "# code and sources : ";
    const std::size_t at = text.find(start);
    EXPECT_NE(at, std::string::npos) << text;
    return text.substr(at + start.size(), text.find('\n', at) - at - start.size());
  };
  EXPECT_EQ(line(), "not in the file; prof annotate reads them where the programs lie");
  data.code = model::CodeSummary{.functions = 120, .source_bytes = 48'213};
  EXPECT_EQ(line(), "code of 120 functions; 48213 bytes of source text");
  data.code = model::CodeSummary{.functions = 1,
                                 .functions_left_out = 34,
                                 .left_out_share = 0.0123,
                                 .functions_without_code = 2,
                                 .source_bytes = 65'536,
                                 .source_lines_left_out = 1};
  EXPECT_EQ(line(),
            "code of 1 function, 34 colder with 1.2 % of the samples left out, 2 unreadable; "
            "65536 bytes of source text, 1 line with samples left out");
  data.code = model::CodeSummary{.functions = 9, .source_wanted = false};
  EXPECT_EQ(line(), "code of 9 functions; no source text (--no-embed-source)");
}

TEST(HeaderReportTest, LoadIsThereWhereItIsKnown) {
  ReportData data = test::SampleData();
  EXPECT_THAT(RenderHeader(data), Not(HasSubstr("machine's CPU time")));
  data.honesty.load = {.other = 0.034, .steal = 0.0};
  EXPECT_THAT(RenderHeader(data), HasSubstr("# other programs : 3.4 % of the machine's CPU time\n"
                                            "# hypervisor took : 0 % of the machine's CPU time\n"));
}

TEST(HeaderReportTest, StatsCountRecordsByKindAndSamplesByEvent) {
  RecordCounts counts;
  counts.Add(model::RecordingInfo{});
  for (int i = 0; i < 3; ++i) counts.Add(model::Sample{});
  const std::string text = RenderStats(counts, test::SampleData());
  EXPECT_THAT(text, HasSubstr("           TOTAL events:          4\n"));
  EXPECT_THAT(text, HasSubstr("          SAMPLE events:          3  (75.0%)\n"));
  EXPECT_THAT(text, HasSubstr("cpu-clock stats:\n          SAMPLE events:          3\n"));
  EXPECT_THAT(text, Not(HasSubstr("SLICE")));
}

}  // namespace
}  // namespace prof::report
