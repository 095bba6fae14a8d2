#include "prof/report/diff_formats.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "unit/report/diff_data.h"

namespace prof::report {
namespace {

using analysis::diff::CallerChange;
using analysis::diff::DiffTree;
using analysis::diff::ProfileDiff;
using nlohmann::json;

TEST(DiffJsonTest, NumbersAreNotRounded) {
  const json diff = json::parse(RenderDiffJson(test::Faster()));
  const json& event = diff["events"][0];
  EXPECT_EQ(event["total"]["change"]["before"], 5.256795);
  EXPECT_EQ(event["rows"][0]["self"]["before"], 1.2214);
  EXPECT_EQ(event["rows"][0]["self"]["delta"], 0.80144 - 1.2214);
  EXPECT_EQ(event["rows"][0]["sym"], "parse_row");
  EXPECT_EQ(event["rows"][3]["level"], "kernel");
  EXPECT_EQ(event["amounts"], "seconds");
  EXPECT_EQ(event["per"], "run");
  EXPECT_EQ(event["total"]["verdict"], "lower");
  EXPECT_EQ(event["scarce"]["rows"], 87);
  EXPECT_TRUE(event["scarce"]["change"]["test"].is_null());
  EXPECT_TRUE(event["tree"].is_null());
  EXPECT_TRUE(event["rows"][0]["callers"].is_null());
}

TEST(DiffJsonTest, WhatIsNotFiniteIsNull) {
  ProfileDiff diff = test::Faster();
  auto& event = diff.events[0];
  event.rows[0].self.test->detectable = std::numeric_limits<double>::infinity();
  event.rows[0].self.test->interval.low = std::numeric_limits<double>::quiet_NaN();
  event.total.share = std::numeric_limits<double>::infinity();
  const json parsed = json::parse(RenderDiffJson(diff));
  const json& first = parsed["events"][0];
  EXPECT_TRUE(first["rows"][0]["self"]["test"]["detectable"].is_null());
  EXPECT_TRUE(first["rows"][0]["self"]["test"]["interval"][0].is_null());
  EXPECT_TRUE(first["total"]["share"].is_null());
}

TEST(DiffJsonTest, WhatIsMissingIsNull) {
  const json diff = json::parse(RenderDiffJson(test::SingleRuns()));
  const json& event = diff["events"][0];
  EXPECT_TRUE(event["total"]["change"]["test"].is_null());
  EXPECT_TRUE(event["total"]["share"].is_null());
  EXPECT_EQ(event["total"]["runs_needed"], 4);
  EXPECT_EQ(event["tested_by"], "blocks");
  EXPECT_EQ(diff["runs"][1]["side"], "after");
}

TEST(DiffJsonTest, WithoutStacksThereAreNoChildren) {
  ProfileDiff diff = test::Faster();
  diff.events[0].walked = false;
  const json parsed = json::parse(RenderDiffJson(diff));
  EXPECT_TRUE(parsed["events"][0]["rows"][0]["children"].is_null());
}

TEST(DiffJsonTest, EndlessCallersAndBrokenNamesStayJson) {
  ProfileDiff diff = test::Faster();
  CallerChange caller;
  caller.name = "f";
  for (int i = 0; i < 400; ++i) {
    CallerChange outer;
    outer.name = "f\xff";
    outer.callers.push_back(std::move(caller));
    caller = std::move(outer);
  }
  diff.events[0].callers.resize(diff.events[0].rows.size());
  diff.events[0].callers[0].push_back(std::move(caller));
  const json parsed = json::parse(RenderDiffJson(diff));
  const json* level = &parsed["events"][0]["rows"][0]["callers"];
  int depth = 0;
  for (; level->is_array() && !level->empty(); ++depth) level = &(*level)[0]["callers"];
  EXPECT_EQ(depth, 250);
  EXPECT_TRUE(level->is_null());
}

DiffTree::Node Node(std::uint32_t name, std::uint32_t size, double before, double after) {
  DiffTree::Node node;
  node.name = name;
  node.size = size;
  node.self_before = before;
  node.self_after = after;
  return node;
}

TEST(DiffFoldedTest, NoTreeIsNoText) { EXPECT_EQ(RenderDiffFolded(test::Faster()), ""); }

TEST(DiffFoldedTest, StacksAreFromOutsideInMicroseconds) {
  ProfileDiff diff = test::Faster();
  DiffTree& tree = diff.events[0].tree.emplace();
  tree.names = {"", "main", "parse", "write"};
  tree.nodes = {Node(0, 4, 0, 0), Node(1, 3, 0, 0.0000015), Node(2, 1, 1.25, 0),
                Node(3, 1, 0.0000001, 0.0000001)};
  EXPECT_EQ(RenderDiffFolded(diff), "main 0 2\nmain;parse 1250000 0\n");
}

TEST(DiffFoldedTest, EventsAreCounts) {
  ProfileDiff diff = test::Faster();
  diff.events[0].unit.unit = model::EventUnit::kCount;
  DiffTree& tree = diff.events[0].tree.emplace();
  tree.names = {"", "main"};
  tree.nodes = {Node(0, 2, 3, 0), Node(1, 1, 12.6, 7)};
  EXPECT_EQ(RenderDiffFolded(diff), "[no stack] 3 0\nmain 13 7\n");
}

TEST(DiffFoldedTest, NamesBreakNoLineAndNoStack) {
  ProfileDiff diff = test::Faster();
  DiffTree& tree = diff.events[0].tree.emplace();
  tree.names = {"", "a;b", "c\r\nd", ""};
  tree.nodes = {Node(0, 5, 0, 0), Node(1, 4, 0, 0), Node(2, 3, 0, 0), Node(3, 2, 0, 0),
                Node(77, 1, 1, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_EQ(RenderDiffFolded(diff), "a:b;c??d;[unknown];[unknown] 1000000 0\n");
}

}  // namespace
}  // namespace prof::report
