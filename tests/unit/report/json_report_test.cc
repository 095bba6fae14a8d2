#include "prof/report/json_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/report/sample_data.h"

namespace prof::report {
namespace {

using nlohmann::json;

TEST(JsonReportTest, RowsHaveTheirKeysAndShares) {
  const json report = json::parse(RenderJson(test::SampleData()));
  EXPECT_EQ(report["format"], "prof-report");
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["sort"], json({"comm", "dso", "sym"}));
  const json& table = report["tables"][0];
  EXPECT_EQ(table["total_samples"], 4000);
  const json& row = table["rows"][1];
  EXPECT_EQ(row["comm"], "app");
  EXPECT_EQ(row["dso"], "[kernel.kallsyms]");
  EXPECT_EQ(row["sym"], "do_syscall_64");
  EXPECT_EQ(row["level"], "kernel");
  EXPECT_EQ(row["self_weight"], 40'000'000);
  EXPECT_DOUBLE_EQ(row["self_percent"], 1.0);
  EXPECT_FALSE(row.contains("children_percent"));
  EXPECT_LT(row["interval_percent"][0], 1.0);
  EXPECT_GT(row["interval_percent"][1], 1.0);
}

TEST(JsonReportTest, ChildrenAndCallGraphsAreNested) {
  ReportData data = test::SampleData();
  data.tables[0].children = true;
  analysis::CallNode callee;
  callee.name = "g";
  callee.inlined = true;
  callee.weight = 7;
  analysis::CallNode node;
  node.name = "f";
  node.weight = 10;
  node.children = {callee};
  data.tables[0].rows[0].call_graph = {node};
  const json row = json::parse(RenderJson(data))["tables"][0]["rows"][0];
  EXPECT_DOUBLE_EQ(row["children_percent"], 75.0);
  EXPECT_EQ(row["call_graph"][0]["name"], "f");
  EXPECT_EQ(row["call_graph"][0]["children"][0]["name"], "g");
  EXPECT_EQ(row["call_graph"][0]["children"][0]["inlined"], true);
  EXPECT_FALSE(row["call_graph"][0]["children"][0].contains("children"));
}

TEST(JsonReportTest, HonestyIsDataAndLines) {
  ReportData data = test::SampleData();
  data.honesty.losses = {{model::LossCause::kKernelRing, 12, true}};
  data.honesty.events[0].cpu_gaps = {{.comm = "sh", .used_ns = 5, .sampled_ns = 4, .processes = 3}};
  data.honesty.events[0].stack_ends = {{model::StackEnd::kTruncated, 2, {{"libc.so.6", 2}}}};
  data.unresolved = {{"app", model::SymbolStatus::kFileMissing, "gone", 9}};
  const json honesty = json::parse(RenderJson(data))["honesty"];
  EXPECT_EQ(honesty["lines"][0], "cpu-clock, 997 Hz: 4000 samples in 4.00 s");
  EXPECT_EQ(honesty["losses"][0],
            json({{"cause", "kernel_ring"}, {"count", 12}, {"at_least", true}}));
  EXPECT_EQ(honesty["events"][0]["cpu_by_command"][0]["comm"], "sh");
  EXPECT_EQ(honesty["events"][0]["stack_ends"][0]["end"], "truncated");
  EXPECT_EQ(honesty["events"][0]["stack_ends"][0]["worst_modules"][0]["module"], "libc.so.6");
  EXPECT_EQ(honesty["modules_without_symbols"][0]["status"], "file_missing");
}

TEST(JsonReportTest, UnfinishedRecordingHasNoEnd) {
  ReportData data = test::SampleData();
  json end = json::parse(RenderJson(data))["recording"]["end"];
  EXPECT_EQ(end["prof_cpu_ns"], 20'000'000);
  EXPECT_TRUE(end["other_cpu_ns"].is_null());
  data.end->other_cpu_ns = 5;
  data.end->steal_ns = 0;
  end = json::parse(RenderJson(data))["recording"]["end"];
  EXPECT_EQ(end["other_cpu_ns"], 5);
  EXPECT_EQ(end["steal_ns"], 0);
  data.end.reset();
  EXPECT_TRUE(json::parse(RenderJson(data))["recording"]["end"].is_null());
}

TEST(JsonReportTest, BrokenTextIsStillJson) {
  ReportData data = test::SampleData();
  data.tables[0].rows[0].keys[0] = "a\xff\"\n";
  EXPECT_EQ(json::parse(RenderJson(data))["tables"][0]["rows"][0]["comm"], "a\xef\xbf\xbd\"\n");
}

}  // namespace
}  // namespace prof::report
