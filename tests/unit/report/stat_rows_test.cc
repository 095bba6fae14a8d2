#include "prof/report/stat_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "unit/report/stat_data.h"

namespace prof::report {
namespace {

namespace counts = analysis::counts;
using counts::StatReport;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<json> Objects(const StatReport& report) {
  std::vector<json> objects;
  for (const std::string& line : Lines(RenderStatJson(report)))
    objects.push_back(json::parse(line));
  return objects;
}

json FindProf(const StatReport& report, const std::string& kind) {
  for (const json& object : Objects(report))
    if (object.value("prof", "") == kind) return object;
  return nullptr;
}

// The fields of perf stat -x, (linux-perf 6.1) first; of ours there are seven.
TEST(StatCsvTest, FieldsAreInPerfsOrder) {
  const auto lines = Lines(RenderStatCsv(test::SingleRun(), ","));
  EXPECT_EQ(lines[0], "0.73,msec,task-clock,731209,100.00,0.434,CPUs utilized,,,,,,,");
  EXPECT_EQ(lines[1], "1,,context-switches,731209,100.00,1.378,K/sec,,,,,,,");
}

TEST(StatCsvTest, RepeatsHaveAVarianceAndTheirSummary) {
  StatReport report = test::SingleRun();
  report.sides[0].runs = 3;
  report.sides[0].values = {test::RepeatedCount(test::kFaults, {75, 76, 77})};
  const auto lines = Lines(RenderStatCsv(report, ","));
  // 100 x 1 / sqrt(3) / 76 = 0.76 %.
  EXPECT_EQ(lines[0], "76,,page-faults,0.76%,731209,100.00,,,76,,,1,75,77,3");
}

TEST(StatCsvTest, RefusedEventsHaveARowOnlyWhenAskedFor) {
  StatReport report = test::SingleRun();
  EXPECT_THAT(RenderStatCsv(report, ","), Not(HasSubstr("cycles")));
  report.events[test::kCycles].is_default = false;
  EXPECT_THAT(RenderStatCsv(report, ","),
              HasSubstr("\n<not supported>,,cycles,0,100.00,,,,,,,,,\n"));
}

TEST(StatCsvTest, TimesComeOnce) {
  StatReport report = test::SingleRun();
  report.events.emplace_back().name = "duration_time";
  report.sides[0].values.push_back(test::Counted(4, 1'673'517, "ns"));
  const std::string text = RenderStatCsv(report, ",");
  EXPECT_EQ(text.find("duration_time"), text.rfind("duration_time"));
  EXPECT_THAT(text, HasSubstr("1673517,ns,duration_time,731209,"));
  EXPECT_THAT(text, HasSubstr("1568000,ns,user_time,1568000,100.00,"));
}

TEST(StatCsvTest, TextWithTheSeparatorIsQuoted) {
  StatReport report = test::SingleRun();
  report.events[test::kFaults].name = "cpu/event=1,umask=2/";
  EXPECT_THAT(RenderStatCsv(report, ","), HasSubstr("\n75,,\"cpu/event=1,umask=2/\",731209,"));
  EXPECT_THAT(RenderStatCsv(report, ";"), HasSubstr("\n75;;cpu/event=1,umask=2/;731209;"));
  report.events[test::kFaults].name = "say \"hi\"";
  EXPECT_THAT(RenderStatCsv(report, ";"), HasSubstr("\n75;;\"say \"\"hi\"\"\";731209;"));
}

TEST(StatCsvTest, EveryRowHasAsManyFields) {
  for (const StatReport& report :
       {test::TenRunsReport(), test::Multiplexed(),
        test::Labelled(counts::Aggregation::kCore, "S0-D0-C0", "S0-D0-C1", 2)}) {
    const auto lines = Lines(RenderStatCsv(report, "|"));
    const auto fields = std::ranges::count(lines[0], '|');
    for (const std::string& line : lines) EXPECT_EQ(std::ranges::count(line, '|'), fields) << line;
  }
}

TEST(StatCsvTest, WhatIsNoNumberIsEmpty) {
  StatReport report = test::OldAgainstNew();
  report.comparisons[0].quantities[0].p = std::numeric_limits<double>::quiet_NaN();
  report.sides[0].values[0].metric->value = std::numeric_limits<double>::infinity();
  const std::string text = RenderStatCsv(report, ",");
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, HasSubstr("\n,,prof:compare:1:time elapsed:p,"));
}

TEST(StatJsonTest, KeysArePerfs) {
  const json row = Objects(test::SingleRun())[0];
  EXPECT_EQ(row["counter-value"], "0.731209");
  EXPECT_EQ(row["unit"], "msec");
  EXPECT_EQ(row["event"], "task-clock");
  EXPECT_EQ(row["event-runtime"], 731209);
  EXPECT_EQ(row["pcnt-running"], 100.0);
  EXPECT_EQ(row["metric-value"], 0.434);
  EXPECT_EQ(row["metric-unit"], "CPUs utilized");
  EXPECT_FALSE(row.contains("variance"));
  EXPECT_FALSE(row.contains("side"));
}

TEST(StatJsonTest, TimesAreRowsThatComeOnce) {
  StatReport report = test::SingleRun();
  const auto rows_of = [&](const std::string& event) {
    std::vector<json> rows;
    for (const json& row : Objects(report))
      if (row.value("event", "") == event) rows.push_back(row);
    return rows;
  };
  ASSERT_EQ(rows_of("duration_time").size(), 1U);
  EXPECT_EQ(rows_of("duration_time")[0]["counter-value"], "1673517.000000");
  EXPECT_EQ(rows_of("duration_time")[0]["unit"], "ns");
  EXPECT_EQ(rows_of("user_time")[0]["event-runtime"], 1'568'000);
  EXPECT_EQ(rows_of("system_time").size(), 1U);
  report.events.emplace_back().name = "duration_time";
  report.sides[0].values.push_back(test::Counted(4, 1'673'517, "ns"));
  EXPECT_EQ(rows_of("duration_time").size(), 1U);
}

TEST(StatJsonTest, RowsWithoutACommentHaveAnEmptyOne) {
  StatReport report = test::SingleRun();
  report.sides[0].values[0].metric.reset();
  report.sides[0].values[1].metric->value = std::numeric_limits<double>::quiet_NaN();
  for (const json& row : {Objects(report)[0], Objects(report)[1]}) {
    EXPECT_EQ(row["metric-value"], 0.0);
    EXPECT_EQ(row["metric-unit"], "");
  }
}

TEST(StatJsonTest, LabelsHaveTheKeyOfTheirKind) {
  using counts::Aggregation;
  EXPECT_EQ(Objects(test::Labelled(Aggregation::kCpu, "CPU0", "CPU1", 1))[0]["cpu"], "0");
  const json socket = Objects(test::Labelled(Aggregation::kSocket, "S0", "S1", 16))[0];
  EXPECT_EQ(socket["socket"], "S0");
  EXPECT_EQ(socket["aggregate-number"], 16);
  EXPECT_EQ(Objects(test::Labelled(Aggregation::kNode, "N0", "N1", 16))[0]["node"], "N0");
  EXPECT_EQ(Objects(test::Labelled(Aggregation::kThread, "sh-7", "sh-8", 0))[0]["thread"], "sh-7");
}

TEST(StatJsonTest, RunsOutliersAndNotesAreObjectsOfOurs) {
  const StatReport report = test::TenRunsReport();
  const json run = FindProf(report, "run");
  EXPECT_EQ(run["runs"], 10);
  EXPECT_EQ(run["target"], "'./x'");
  EXPECT_EQ(run["quantities"][0]["name"], "time elapsed");
  EXPECT_EQ(run["quantities"][0]["trust"], "investigate");
  EXPECT_EQ(run["noise"]["involuntary-switches"], 1063);
  EXPECT_EQ(run["table"][6]["noise"]["wait"], 410'000'000);
  EXPECT_EQ(run["histogram"]["counts"][0], 9);
  const json outlier = FindProf(report, "outlier");
  EXPECT_EQ(outlier["run"], 7);
  EXPECT_EQ(outlier["causes"], json({"waited 0.41 s for a CPU"}));
  EXPECT_EQ(FindProf(report, "refused")["events"].size(), 4U);
  EXPECT_EQ(FindProf(test::SingleRun(), "notes")["notes"].size(), 1U);
}

TEST(StatJsonTest, ComparisonsHaveEveryNumber) {
  const json comparison = FindProf(test::OldAgainstNew(), "comparison");
  EXPECT_EQ(comparison["a"], 1);
  EXPECT_EQ(comparison["b"], 0);
  EXPECT_EQ(comparison["verdict"], "faster by 14.2 % (12.9 to 15.6, p = 0.0002)");
  const json& headline = comparison["quantities"][0];
  EXPECT_EQ(headline["verdict"], "lower");
  EXPECT_DOUBLE_EQ(headline["median-ratio"], 0.858);
  EXPECT_LT(headline["ratio"]["low"], 0.858);
  EXPECT_LT(headline["shift"]["high"], 0);
  EXPECT_EQ(headline["mann-whitney"]["method"], "exact");
  EXPECT_EQ(headline["mann-whitney"]["cliffs-delta"], -1.0);
  EXPECT_EQ(headline["a"]["n"], 10);
  // Without a ratio (values of 0) there is no key of it.
  EXPECT_FALSE(comparison["quantities"][4].contains("ratio"));
}

// As perf from Linux 6.3 on does.
TEST(MetricRowsTest, WithoutMetricsThereAreNoNumbers) {
  StatReport report = test::SingleRun();
  report.sides[0].values[0].metric->value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(RenderMetricCsv(report, ",", true), "CPUs utilized,\n,\n");
  EXPECT_EQ(RenderMetricJson(report), "{\"metric-value\":\"none\"}\n");
  for (auto& value : report.sides[0].values) value.metric.reset();
  EXPECT_EQ(RenderMetricCsv(report, ",", true), "\n");
  EXPECT_EQ(RenderMetricJson(report), "");
}

TEST(StatJsonTest, IntervalsHaveCountsAndMetricsAlone) {
  StatReport report = test::Multiplexed();
  report.interval_s = 0.5;
  for (const json& object : Objects(report)) {
    EXPECT_EQ(object["interval"], 0.5);
    EXPECT_TRUE(object.contains("event") || object["prof"] == "metric");
  }
}

TEST(StatJsonTest, BrokenTextAndNumbersAreStillJson) {
  StatReport report = test::OldAgainstNew();
  report.events[test::kFaults].name = "a\xff\"\n";
  report.sides[0].values[2].value = std::numeric_limits<double>::infinity();
  report.sides[0].values[1].event = 77;
  report.comparisons[0].quantities[0].p = std::numeric_limits<double>::quiet_NaN();
  const auto objects = Objects(report);
  EXPECT_EQ(objects[2]["event"], "a\xef\xbf\xbd\"\n");
  EXPECT_EQ(objects[2]["counter-value"], "<not counted>");
  EXPECT_TRUE(FindProf(report, "comparison")["quantities"][0]["p"].is_null());
}

}  // namespace
}  // namespace prof::report
