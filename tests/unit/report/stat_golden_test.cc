// Whole outputs of `prof stat`; PROF_REGENERATE=1 writes them anew after a wanted change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "unit/report/stat_data.h"

#include "prof/report/stat_rows.h"
#include "prof/report/stat_text.h"

namespace prof::report {
namespace {

namespace counts = analysis::counts;
using counts::Aggregation;
using counts::StatReport;

struct Case {
  const char* file;
  std::function<std::string()> render;
};

StatReport AtInterval(StatReport report) {
  report.interval_s = 0.10018998;
  return report;
}

StatReport Cpus() { return test::Labelled(Aggregation::kCpu, "CPU0", "CPU1", 1); }
StatReport Cores() { return test::Labelled(Aggregation::kCore, "S0-D0-C0", "S0-D0-C1", 2); }
StatReport Sockets() { return test::Labelled(Aggregation::kSocket, "S0", "S1", 16); }
StatReport Nodes() { return test::Labelled(Aggregation::kNode, "N0", "N1", 16); }
StatReport Threads() {
  return test::Labelled(Aggregation::kThread, "web-worker-17", "sleep-8944", 0);
}

std::string Intervals(const StatReport& report, const StatTextStyle& style = {}) {
  return RenderIntervalText(AtInterval(report), style, true) +
         RenderIntervalText(AtInterval(report), style, false);
}

StatReport ThreeRuns() {
  StatReport report = test::TenRunsReport();
  counts::StatSide& side = report.sides[0];
  side = test::TenRuns("./x", 1);
  side.runs = 3;
  side.values = {test::RepeatedCount(test::kTaskClock, {0.83, 0.81, 0.9}, "msec")};
  side.quantities = {test::Repeated({counts::QuantityKind::kMetric, 0, "throughput", "req/s", true},
                                    {1203.25, 1187.5, 1210.75}),
                     test::Repeated(test::Elapsed(), {0.0017, 0.0016, 0.0019})};
  side.outliers.clear();
  side.histogram.reset();
  side.drifts.clear();
  side.noise = {};
  side.noise.total.migrations = 0;
  side.noise.total.wait_ns = 0;
  side.table.resize(3);
  return report;
}

// One of the first event of each label, one of the last label's second event.
StatReport WithMetrics(StatReport report) {
  auto& values = report.sides[0].values;
  for (auto& value : values)
    if (value.event == values.front().event)
      value.metric = test::Metric(value.event, "cpus-utilized", 0.5, "CPUs utilized");
  values.back().metric = test::Metric(values.back().event, "ipc", 1.25, "insn per cycle");
  return report;
}

const Case kCases[] = {
    {"single.txt", [] { return RenderStatText(test::SingleRun(), {}); }},
    {"multiplexed.txt", [] { return RenderStatText(test::Multiplexed(), {}); }},
    {"metric-only.txt", [] { return RenderStatText(test::Multiplexed(), {.metric_only = true}); }},
    {"repeats.txt",
     [] { return RenderStatText(test::TenRunsReport(), {.histogram = true, .table = true}); }},
    {"three-runs.txt", [] { return RenderStatText(ThreeRuns(), {}); }},
    {"comparison.txt", [] { return RenderStatText(test::OldAgainstNew(), {}); }},
    {"comparison.color.txt", [] { return RenderStatText(test::OldAgainstNew(), {.color = true}); }},
    {"cpus.txt", [] { return RenderStatText(Cpus(), {}); }},
    {"cores.txt", [] { return RenderStatText(Cores(), {}); }},
    {"sockets.txt", [] { return RenderStatText(Sockets(), {}); }},
    {"threads.txt", [] { return RenderStatText(Threads(), {}); }},
    {"interval.txt", [] { return Intervals(test::Multiplexed()); }},
    {"interval.cpus.txt", [] { return Intervals(Cpus()); }},
    {"interval.cores.txt", [] { return Intervals(Cores()); }},
    {"interval.nodes.txt", [] { return Intervals(Nodes()); }},
    {"interval.threads.txt", [] { return Intervals(Threads()); }},
    {"interval.metric-only.txt",
     [] { return Intervals(test::Multiplexed(), {.metric_only = true}); }},
    {"single.csv", [] { return RenderStatCsv(test::SingleRun(), ","); }},
    {"multiplexed.csv", [] { return RenderStatCsv(test::Multiplexed(), ","); }},
    {"repeats.csv", [] { return RenderStatCsv(test::TenRunsReport(), ";"); }},
    {"comparison.csv", [] { return RenderStatCsv(test::OldAgainstNew(), ","); }},
    {"cpus.csv", [] { return RenderStatCsv(Cpus(), ","); }},
    {"interval.cores.csv", [] { return RenderStatCsv(AtInterval(Cores()), ","); }},
    {"threads.csv", [] { return RenderStatCsv(Threads(), ","); }},
    {"single.json", [] { return RenderStatJson(test::SingleRun()); }},
    {"multiplexed.json", [] { return RenderStatJson(test::Multiplexed()); }},
    {"repeats.json", [] { return RenderStatJson(test::TenRunsReport()); }},
    {"comparison.json", [] { return RenderStatJson(test::OldAgainstNew()); }},
    {"interval.cpus.json", [] { return RenderStatJson(AtInterval(Cpus())); }},
    {"cores.json", [] { return RenderStatJson(Cores()); }},
    {"metric-only.csv", [] { return RenderMetricCsv(test::Multiplexed(), ",", true); }},
    {"interval.metric-only.csv",
     [] {
       const StatReport report = WithMetrics(AtInterval(Cores()));
       return RenderMetricCsv(report, ";", true) + RenderMetricCsv(report, ";", false);
     }},
    {"metric-only.json", [] { return RenderMetricJson(test::Multiplexed()); }},
    {"interval.metric-only.json", [] { return RenderMetricJson(WithMetrics(AtInterval(Cpus()))); }},
};

class StatGoldenTest : public testing::TestWithParam<Case> {};

TEST_P(StatGoldenTest, PrintsWhatItPrintedBefore) {
  const std::string path = std::string(PROF_TEST_DATA "/../golden/stat/") + GetParam().file;
  const std::string text = GetParam().render();
  if (std::getenv("PROF_REGENERATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str());
}

INSTANTIATE_TEST_SUITE_P(Outputs, StatGoldenTest, testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.file;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
});

}  // namespace
}  // namespace prof::report
