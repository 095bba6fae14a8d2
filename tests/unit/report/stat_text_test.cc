#include "prof/report/stat_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/report/stat_data.h"

namespace prof::report {
namespace {

namespace counts = analysis::counts;
using counts::StatReport;
using testing::HasSubstr;
using testing::Not;

// Lines of `perf stat` (linux-perf 6.1) on a machine without a PMU, without the spaces at the end.
TEST(StatTextTest, RowsStandInPerfsColumns) {
  const std::string text = RenderStatText(test::SingleRun(), {});
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n Performance counter stats for 'true':\n\n"
          "              0.73 msec task-clock                       #    0.434 CPUs utilized\n"
          "                 1      context-switches                 #    1.378 K/sec\n"));
  EXPECT_THAT(text, HasSubstr("\n\n       0.001673517 seconds time elapsed\n\n"
                              "       0.001568000 seconds user\n"
                              "       0.000000000 seconds sys\n\n"));
  EXPECT_TRUE(text.starts_with("\n Performance"));
  EXPECT_TRUE(text.ends_with("\n\n"));
  EXPECT_FALSE(text.ends_with("\n\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("not supported")));
}

TEST(StatTextTest, LongNamesPushTheirOwnRowOnly) {
  StatReport report = test::SingleRun();
  report.events[test::kSwitches].name = "syscalls:sys_enter_sched_rr_get_interval";
  const std::string text = RenderStatText(report, {});
  EXPECT_THAT(text,
              HasSubstr("                 1      syscalls:sys_enter_sched_rr_get_interval #"));
  EXPECT_THAT(text, HasSubstr("task-clock                       #    0.434"));
}

TEST(StatTextTest, ThousandsAreGroupedUnlessToldNotTo) {
  EXPECT_THAT(RenderStatText(test::Multiplexed(), {}), HasSubstr("     4,812,345,678      cycles"));
  EXPECT_THAT(RenderStatText(test::Multiplexed(), {.big_numbers = false}),
              HasSubstr("        4812345678      cycles"));
}

TEST(StatTextTest, MultiplexedRowsSaySoAtTheirEnd) {
  EXPECT_THAT(RenderStatText(test::Multiplexed(), {}), HasSubstr("  (33.21%)\n"));
  StatReport repeated = test::TenRunsReport();
  repeated.sides[0].values[1].counted_share = 0.5;
  EXPECT_THAT(RenderStatText(repeated, {}), HasSubstr("3 to 61  (50.00%)\n"));
}

TEST(StatTextTest, UserAndSystemTimeOnlyWhenKnown) {
  StatReport report = test::SingleRun();
  report.sides[0].quantities.resize(1);
  const std::string text = RenderStatText(report, {});
  EXPECT_THAT(text, HasSubstr("seconds time elapsed\n\n waited"));
  EXPECT_THAT(text, Not(HasSubstr("seconds user")));
  EXPECT_THAT(text, Not(HasSubstr("peak memory")));
}

TEST(StatTextTest, AQuietRunIsSaidToBe) {
  StatReport report = test::SingleRun();
  report.sides[0].noise.total = {};
  report.sides[0].noise.total.wait_ns = 0;
  report.sides[0].noise.total.migrations = 0;
  EXPECT_THAT(RenderStatText(report, {}),
              HasSubstr("\n nothing disturbed this run: no waiting for a CPU, no migrations; peak "
                        "memory\n 3.4 MB\n"));
}

TEST(StatTextTest, RepeatedRowsKeepValueAndNameWherePerfHasThem) {
  const std::string text = RenderStatText(test::TenRunsReport(), {});
  EXPECT_THAT(text, HasSubstr(" Performance counter stats for './x' (10 runs):\n"));
  EXPECT_THAT(text, HasSubstr("\n               792 msec task-clock        [788, 803]"));
  EXPECT_THAT(text,
              HasSubstr("\n             0.901 seconds time elapsed  [0.895, 0.912]  CoV 13.7 %"
                        " investigate\n"));
  EXPECT_THAT(text, Not(HasSubstr("Table of individual")));
  EXPECT_THAT(text, Not(HasSubstr("distribution")));
  EXPECT_THAT(text, Not(HasSubstr("no interval of the median")));
}

TEST(StatTextTest, FewRunsHaveNoIntervalAndThatIsSaidOnce) {
  StatReport report = test::TenRunsReport();
  report.sides[0].runs = 5;
  for (auto& value : report.sides[0].values) value.repeats = test::SummaryOf({1, 2, 3, 4, 5});
  report.sides[0].quantities = {test::Repeated(test::Elapsed(), {1, 2, 3, 4, 5})};
  const std::string text = RenderStatText(report, {});
  EXPECT_THAT(text, HasSubstr(" no interval of the median below 6 runs\n"));
  EXPECT_EQ(text.find("no interval"), text.rfind("no interval"));
  EXPECT_THAT(text, Not(HasSubstr("[")));
}

TEST(StatTextTest, EventsCountedInSomeRunsOnlySaySo) {
  StatReport report = test::TenRunsReport();
  report.sides[0].values[1].repeats = test::SummaryOf({3, 4, 5});
  report.sides[0].values[2].repeats = test::SummaryOf({3});
  const std::string text = RenderStatText(report, {});
  EXPECT_THAT(text, HasSubstr("3 to 5, counted in 3 runs\n"));
  EXPECT_THAT(text, HasSubstr("counted in one run\n"));
}

TEST(StatTextTest, OutliersWithoutACauseAreSaidToBeUnexplained) {
  StatReport report = test::TenRunsReport();
  report.sides[0].outliers[0].causes.clear();
  EXPECT_THAT(RenderStatText(report, {}),
              HasSubstr("run 7 took 1.31 s (median 0.90 s): nothing the "
                        "kernel reports explains it\n"));
}

TEST(StatTextTest, VerdictsComeFirstAndNameBothSides) {
  const std::string text = RenderStatText(test::OldAgainstNew(), {.width = 120});
  EXPECT_TRUE(text.starts_with(
      "\n './new' is faster by 14.2 % (12.9 to 15.6, p = 0.0002) than './old --with='some "
      "words''\n   typical difference -0.128 s (-0.133 to -0.123), Cohen's d -22.90\n"
      " './new' against './other': too noisy to tell"));
  EXPECT_THAT(text, HasSubstr("\n   the values of './other' scatter by 31 %"));
  EXPECT_THAT(text, HasSubstr("\n not compared: cycles: not counted on either side\n"));
}

TEST(StatTextTest, ColoursOnlyWhenAsked) {
  EXPECT_THAT(RenderStatText(test::OldAgainstNew(), {}), Not(HasSubstr("\033")));
  const std::string text = RenderStatText(test::OldAgainstNew(), {.color = true});
  EXPECT_THAT(text, HasSubstr("\033[32m './new' is faster"));
  EXPECT_THAT(text, HasSubstr("\033[33m './new' against"));
  // More throughput is good.
  EXPECT_THAT(text, HasSubstr("\033[32mhigher\033[m\n page-faults"));
  EXPECT_THAT(text, HasSubstr("\033[31mhigher\033[m\n context-switches"));
}

TEST(StatTextTest, LinesFitTheTerminal) {
  StatReport report = test::OldAgainstNew();
  // A ratio in the thousands takes more columns than the table has.
  std::erase_if(report.comparisons[0].quantities,
                [](const auto& compared) { return compared.quantity.name == "page-faults"; });
  for (const StatReport& each : {test::TenRunsReport(), report}) {
    const std::string text = RenderStatText(each, {.histogram = true, .table = true});
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

// Numbers that no honest analysis gives, and ids of nothing.
TEST(StatTextTest, NoNumberIsNoReasonToPrintNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  StatReport report = test::OldAgainstNew();
  counts::StatSide& side = report.sides[0];
  side.values[0].repeats->mean = kNan;
  side.values[1].repeats->median = std::numeric_limits<double>::infinity();
  side.values[2].event = 77;
  side.values[0].metric->value = kNan;
  side.quantities[0].repeats->deviation = kNan;
  side.metrics = {test::Metric({}, "x", kNan, "% of x", true)};
  side.noise.elapsed_s = kNan;
  report.comparisons[0].quantities[0].p = kNan;
  report.comparisons[0].quantities[0].comparison.ratio->estimate = kNan;
  report.comparisons[0].quantities[0].comparison.shift.estimate = kNan;
  report.comparisons[1].a = 99;
  std::string text = RenderStatText(report, {.histogram = true, .table = true});
  report.comparisons.clear();
  text += RenderStatText(report, {.histogram = true, .table = true, .metric_only = true});
  text += RenderStatText(report, {.histogram = true});
  text += RenderIntervalText(report, {}, true);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf,")));
  EXPECT_THAT(text, Not(HasSubstr(" inf")));
  EXPECT_THAT(text, HasSubstr("event 77"));
  EXPECT_THAT(text, HasSubstr("side 99"));
}

TEST(StatTextTest, MetricsAloneAreOfTheirOwnEvent) {
  StatReport report = test::Multiplexed();
  report.events[5].name = "cycles:k";
  report.sides[0].values.back().metric = test::Metric(5, "frequency", 1.5, "GHz");
  const std::string text = RenderStatText(report, {.metric_only = true});
  EXPECT_THAT(text,
              HasSubstr("       CPUs utilized                  GHz       insn per cycle"
                        "         cycles:k GHz       frontend bound        backend bound\n"
                        "               0.434                3.412                0.60"
                        "                 1.500                8.25%               61.50%\n"));
  // A rate's unit follows its value, which a heading cannot.
  EXPECT_THAT(text, Not(HasSubstr("/sec")));
}

TEST(StatTextTest, NoMetricsAloneAreNoLines) {
  StatReport report = test::SingleRun();
  for (auto& value : report.sides[0].values) value.metric.reset();
  EXPECT_THAT(RenderStatText(report, {.metric_only = true}),
              HasSubstr("'true':\n\n       0.001673517 seconds time elapsed\n"));
}

TEST(StatTextTest, AWitnessWithAWarningIsNotSaidTwice) {
  StatReport report = test::TenRunsReport();
  report.sides[0].noise.total.other_cpu_ns = 14'000'000'000;
  report.sides[0].noise.total.cpu_pressure_ns = 9'000'000'000;
  const std::string text = RenderStatText(report, {});
  EXPECT_THAT(text, HasSubstr("\n disturbed: other programs used 14 s of CPU meanwhile"));
  EXPECT_EQ(text.find("other programs"), text.rfind("other programs"));
  EXPECT_EQ(text.find("tasks short of CPUs"), std::string::npos);
}

TEST(StatTextTest, RepeatedRowsOfCpusKeepTheirLabels) {
  StatReport report = test::Labelled(counts::Aggregation::kCpu, "CPU0", "CPU1", 1);
  report.sides[0].runs = 3;
  report.sides[0].values[0].repeats = test::SummaryOf({51.2, 51.3, 51.7});
  EXPECT_THAT(RenderStatText(report, {}),
              HasSubstr("\nCPU0                    51.30 msec task-clock  CoV  0.5 % trustworthy\n"
                        "                                   mean 51.40 +- 0.26, 51.20 to 51.70\n"));
}

TEST(StatTextTest, ReportsOfNothingAreStillReports) {
  StatReport report;
  report.target_text = "system wide";
  EXPECT_EQ(RenderStatText(report, {}), "\n Performance counter stats for 'system wide':\n\n");
  EXPECT_EQ(RenderIntervalText(report, {}, true), "");
  report.sides.resize(1);
  report.notes = {"nothing ran"};
  EXPECT_EQ(RenderStatText(report, {.histogram = true, .table = true}),
            "\n Performance counter stats for 'system wide':\n\n note: nothing ran\n\n");
}

TEST(StatTextTest, TextFromTheTargetCannotSteerATerminal) {
  StatReport report = test::SingleRun();
  report.target_text = "'\033[2J'";
  report.events[test::kFaults].name = "\033[31mfaults";
  report.notes = {"bell \a"};
  EXPECT_THAT(RenderStatText(report, {}), Not(HasSubstr("\033")));
  EXPECT_THAT(RenderStatText(report, {}), HasSubstr("bell ?"));
}

}  // namespace
}  // namespace prof::report
