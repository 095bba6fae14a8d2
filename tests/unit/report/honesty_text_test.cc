#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/report/sample_data.h"

#include "prof/report/text_report.h"

namespace prof::report {
namespace {

using model::LossCause;
using model::StackEnd;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HonestyTextTest, CleanRecordingTakesTwoLines) {
  EXPECT_THAT(HonestyLines(test::SampleData()),
              ::testing::ElementsAre("cpu-clock, 997 Hz: 4000 samples in 4.00 s",
                                     "target: 3.90 s CPU in 4.00 s wall; prof itself: 0.02 s CPU"));
}

TEST(HonestyTextTest, ReplacedEventSaysWhatAndWhy) {
  ReportData data = test::SampleData();
  data.events[0].replaces = "cycles";
  data.events[0].replaced_because = "no hardware counters on this machine";
  EXPECT_THAT(
      HonestyLines(data),
      Contains("cpu-clock instead of cycles (no hardware counters on this machine), 997 Hz: "
               "4000 samples in 4.00 s"));
}

TEST(HonestyTextTest, PeriodAndRestrictionAreSaid) {
  ReportData data = test::SampleData();
  data.events[0].mode = model::SamplingMode::kPeriod;
  data.events[0].sampling_value = 100000;
  data.events[0].excludes_kernel = true;
  data.events[0].restriction = "perf_event_paranoid is 2";
  EXPECT_THAT(
      HonestyLines(data),
      Contains("cpu-clock, one sample per 100000 ns: 4000 samples in 4.00 s; kernel not permitted: "
               "perf_event_paranoid is 2"));
}

TEST(HonestyTextTest, BrokenStacksNameModulesAndTheOptionThatHelps) {
  ReportData data = test::SampleData();
  analysis::EventHonesty& honesty = data.honesty.events[0];
  honesty.walked_samples = 4000;
  honesty.complete_share = 0.95;
  honesty.stack_ends = {{StackEnd::kComplete, 3800, {}},
                        {StackEnd::kTruncated, 180, {{"libc.so.6", 100}, {"app", 80}}},
                        {StackEnd::kNoUnwindInfo, 20, {{"libjit.so", 20}}}};
  const auto lines = HonestyLines(data);
  EXPECT_THAT(
      lines,
      Contains(StartsWith("stacks: 95 % complete, 4.5 % truncated (libc.so.6, app), 0.5 % ")));
  EXPECT_THAT(
      lines,
      Contains("  truncated: record with --call-graph dwarf,65528 to copy more of the stack"));
  EXPECT_THAT(lines, Each(Not(HasSubstr("--call-graph fp"))));  // half a percent needs no advice
  data.info.stack_dump_bytes = 65'528;
  EXPECT_THAT(HonestyLines(data),
              Contains("  truncated: longer than the kernel can copy; --call-graph fp if the code "
                       "keeps frame pointers"));
}

TEST(HonestyTextTest, JoinedStacksAndStacksThatGoOnElsewhereAreExplained) {
  ReportData data = test::SampleData();
  analysis::EventHonesty& honesty = data.honesty.events[0];
  honesty.walked_samples = 4000;
  honesty.complete_share = 0.9;
  honesty.stack_ends = {{StackEnd::kComplete, 3600, {}}, {StackEnd::kOtherStack, 400, {}}};
  EXPECT_THAT(HonestyLines(data), Each(Not(HasSubstr("--no-join"))));
  honesty.joined_samples = 1000;
  EXPECT_THAT(HonestyLines(data), Contains(HasSubstr("10 % went on to another stack")));
  EXPECT_THAT(HonestyLines(data), Contains(HasSubstr("went on to another stack: what a signal")));
  EXPECT_THAT(HonestyLines(data),
              Contains("  25 % of the stacks were completed from earlier samples of the same "
                       "thread; --no-join leaves them cut"));
}

TEST(HonestyTextTest, LossesNameTheirCauseAndTheOptionThatHelps) {
  ReportData data = test::SampleData();
  data.honesty.losses = {{LossCause::kKernelRing, 12, false},  {LossCause::kThrottled, 3, false},
                         {LossCause::kStackShed, 7, true},     {LossCause::kQueueFull, 5, false},
                         {LossCause::kSideBandRing, 1, false}, {LossCause::kBadRecord, 0, false},
                         {LossCause::kUnattributed, 9, false}};
  const auto lines = HonestyLines(data);
  EXPECT_THAT(
      lines,
      Contains(HasSubstr("lost 12 samples: the kernel's ring was full; record with a larger -m")));
  EXPECT_THAT(lines, Contains(HasSubstr("throttled 3 times")));
  EXPECT_THAT(lines, Contains(HasSubstr("gave up at least 7 stacks: prof could not keep up")));
  EXPECT_THAT(lines, Contains(HasSubstr("lost 1 records of mappings")));
  EXPECT_THAT(lines, Contains(HasSubstr("no name for the threads of 9 samples")));
  EXPECT_THAT(lines, Each(Not(HasSubstr("skipped 0"))));
  EXPECT_THAT(RenderText(data, TextOptions{}), HasSubstr("# Total Lost Samples: 17\n"));
}

ReportData WithGap(analysis::CpuGap gap) {
  ReportData data = test::SampleData();
  data.honesty.events[0].cpu_used_ns = 4'000'000'000;
  data.honesty.events[0].cpu_sampled_ns = 3'800'000'000;
  data.honesty.events[0].cpu_gaps = {std::move(gap)};
  return data;
}

TEST(HonestyTextTest, UnsampledProcessesAreCountedWithTheirTime) {
  const auto lines = HonestyLines(WithGap({.comm = "sh",
                                           .used_ns = 400'000'000,
                                           .sampled_ns = 200'000'000,
                                           .processes = 500,
                                           .unsampled_processes = 412,
                                           .unsampled_used_ns = 200'000'000}));
  EXPECT_THAT(lines, Contains("CPU time: 4.00 s used, 3.80 s sampled"));
  EXPECT_THAT(lines,
              Contains("  sh: 412 processes ended before their first sample: 0.20 s not seen"));
}

TEST(HonestyTextTest, KernelTimeThatWasNotPermittedIsNamed) {
  ReportData data = WithGap(
      {.comm = "cc1plus", .used_ns = 3'000'000'000, .sampled_ns = 1'620'000'000, .processes = 3});
  data.events[0].excludes_kernel = true;
  data.events[0].restriction = "perf_event_paranoid is 2";
  EXPECT_THAT(HonestyLines(data),
              Contains("  cc1plus: [kernel: not permitted] 46 % (3.00 s used, 1.62 s sampled)"));
  data.events[0].restriction.clear();
  EXPECT_THAT(HonestyLines(data), Contains(HasSubstr("[kernel: left out by the event] 46 %")));
}

TEST(HonestyTextTest, SmallGapsAreChance) {
  EXPECT_THAT(
      HonestyLines(WithGap(
          {.comm = "app", .used_ns = 3'000'000'000, .sampled_ns = 2'900'000'000, .processes = 1})),
      Each(Not(HasSubstr("app:"))));
  // Half of it missing, but that is one sample.
  EXPECT_THAT(HonestyLines(WithGap(
                  {.comm = "ls", .used_ns = 41'000'000, .sampled_ns = 40'000'000, .processes = 1})),
              Each(Not(HasSubstr("ls:"))));
}

TEST(HonestyTextTest, AGapOfFewSamplesIsChance) {
  // 400 samples: two standard deviations are 10 %.
  EXPECT_THAT(
      HonestyLines(WithGap({.comm = "ls", .used_ns = 400'000'000, .sampled_ns = 370'000'000})),
      Each(Not(HasSubstr("ls:"))));
  EXPECT_THAT(
      HonestyLines(WithGap({.comm = "ls", .used_ns = 400'000'000, .sampled_ns = 350'000'000})),
      Contains("  ls: 12 % not sampled (0.40 s used, 0.35 s sampled)"));
}

TEST(HonestyTextTest, OnlyASurplusOfTheWholeHasALine) {
  EXPECT_THAT(HonestyLines(WithGap({.comm = "tree8",
                                    .used_ns = 2'890'000'000,
                                    .sampled_ns = 3'080'000'000,
                                    .processes = 1})),
              Each(Not(HasSubstr("tree8"))));
  ReportData data = WithGap({});
  data.honesty.events[0].cpu_used_ns = 4'000'000'000;
  data.honesty.events[0].cpu_sampled_ns = 4'800'000'000;
  EXPECT_THAT(HonestyLines(data),
              Contains("  samples stand for 20 % more than was used: shares are right, seconds too "
                       "high"));
}

TEST(HonestyTextTest, OneIsSaidInTheSingular) {
  ReportData data = WithGap({.comm = "true",
                             .used_ns = 400'000'000,
                             .processes = 1,
                             .unsampled_processes = 1,
                             .unsampled_used_ns = 400'000'000});
  data.file.corrupt_blocks = 1;
  const auto lines = HonestyLines(data);
  EXPECT_THAT(lines, Contains("  true: 1 process ended before its first sample: 0.40 s not seen"));
  EXPECT_THAT(lines, Contains("1 damaged block of the file was skipped"));
}

TEST(HonestyTextTest, ManyGapsAreSummedUp) {
  ReportData data =
      WithGap({.comm = "c0", .used_ns = 400'000'000, .sampled_ns = 100'000'000, .processes = 1});
  auto& gaps = data.honesty.events[0].cpu_gaps;
  while (gaps.size() < 8) gaps.push_back(gaps.front());
  EXPECT_THAT(HonestyLines(data), Contains("  and 3 more commands with a gap above 5 %"));
}

TEST(HonestyTextTest, IdleShareIsOfAllCpus) {
  ReportData data = test::SampleData();
  data.end->idle_ns = 6'000'000'000;
  data.end->target_cpu_ns = 0;
  EXPECT_THAT(HonestyLines(data), Contains("idle: 75 % of 2 CPUs; prof itself: 0.02 s CPU"));
}

TEST(HonestyTextTest, FewSamplesShowTheIntervalOfTheTopRow) {
  ReportData data = test::SampleData();
  analysis::EventHonesty& honesty = data.honesty.events[0];
  honesty.samples = 100;
  honesty.top_name = "main";
  honesty.top_share = 0.4;
  honesty.top_low = 0.31;
  honesty.top_high = 0.5;
  EXPECT_THAT(HonestyLines(data), Contains("few samples: main is 40 % (95 %: 31 to 50 %)"));
  honesty.samples = 4000;
  EXPECT_THAT(HonestyLines(data), Each(Not(HasSubstr("few samples"))));
}

TEST(HonestyTextTest, DamagedFilesSaySo) {
  ReportData data = test::SampleData();
  data.end.reset();
  data.file.complete = false;
  data.file.cut_bytes = 123;
  data.file.corrupt_blocks = 2;
  data.file.unknown_blocks = 1;
  const auto lines = HonestyLines(data);
  EXPECT_EQ(lines.front(),
            "the file is not complete: the recorder did not finish, or the file was cut; its last "
            "123 bytes are not a whole block");
  EXPECT_THAT(lines, Contains("2 damaged blocks of the file were skipped"));
  EXPECT_THAT(lines, Contains("1 block of a newer version of prof was skipped"));
}

TEST(HonestyTextTest, ModulesWithoutSymbolsAreNamedOnceTheyMatter) {
  ReportData data = test::SampleData();
  data.unresolved = {{"app", model::SymbolStatus::kBuildIdMismatch, "", 400},
                     {"libx.so", model::SymbolStatus::kNoSymbols, "stripped", 200},
                     {"liby.so", model::SymbolStatus::kNoSymbols, "", 4}};
  EXPECT_THAT(HonestyLines(data), Contains("no symbols: app 10 % (file replaced since (another "
                                           "build ID)); libx.so 5.0 % (stripped)"));
}

TEST(HonestyTextTest, NotesOfTheRecordingAreRepeated) {
  ReportData data = test::SampleData();
  data.info.notes = {"the rate was lowered to 500 Hz"};
  data.end->notes = {"the disk was full"};
  const auto lines = HonestyLines(data);
  EXPECT_THAT(lines, Contains("note: the rate was lowered to 500 Hz"));
  EXPECT_THAT(lines, Contains("note: the disk was full"));
}

TEST(HonestyTextTest, LinesNameTheirEventWhenThereAreSeveral) {
  ReportData data = test::SampleData();
  data.events.push_back(data.events[0]);
  data.events[1].name = "task-clock";
  data.honesty.events.push_back(data.honesty.events[0]);
  data.honesty.events[1].event = 1;
  data.honesty.events[1].walked_samples = 10;
  data.honesty.events[1].complete_share = 1;
  EXPECT_THAT(HonestyLines(data), Contains("task-clock: stacks: 100 % complete"));
}

TEST(HonestyTextTest, LoadIsSaidWhenItIsLarge) {
  ReportData data = test::SampleData();
  data.honesty.load = {.other = 0.20, .steal = 0.02};
  EXPECT_THAT(HonestyLines(data), Each(Not(HasSubstr("meanwhile"))));
  data.honesty.load = {.other = 0.43, .steal = 0.05};
  const auto lines = HonestyLines(data);
  EXPECT_THAT(lines, Contains("other programs used 43 % of the machine's CPU time meanwhile"));
  EXPECT_THAT(lines, Contains("the hypervisor took 5.0 % of the machine's CPU time meanwhile"));
}

TEST(HonestyTextTest, DebugBuildsAreNamedWithTheirShares) {
  ReportData data = test::SampleData();
  data.honesty.unoptimized_modules = {{"app", 2400}, {"libapp.so", 800}};
  EXPECT_THAT(HonestyLines(data),
              Contains("compiled without optimization (-O0): app 60 %, libapp.so 20 %"));
}

}  // namespace
}  // namespace prof::report
