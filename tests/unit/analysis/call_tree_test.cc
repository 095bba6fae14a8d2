// Call graphs of rows: exact trees, pruning, and conservation of weight on random profiles.
#include <gtest/gtest.h>

#include <random>

#include "unit/analysis/stream.h"

#include "prof/analysis/report_table.h"

namespace prof::analysis {
namespace {

using test::Stream;

// "name:weight/own(-pruned){children}", blanks between siblings.
std::string Text(const std::vector<CallNode>& nodes) {
  std::string text;
  for (const CallNode& node : nodes) {
    if (!text.empty()) text += " ";
    text += node.name + (node.inlined ? "!" : "") + ":" + std::to_string(node.weight);
    if (node.own_weight > 0) text += "/" + std::to_string(node.own_weight);
    if (node.pruned_weight > 0) text += "-" + std::to_string(node.pruned_weight);
    if (!node.children.empty()) text += "{" + Text(node.children) + "}";
  }
  return text;
}

std::string GraphOf(const Profile& profile, const TableOptions& options, const std::string& name) {
  const auto tables = BuildTables(profile, options);
  EXPECT_TRUE(tables.has_value());
  for (const TableRow& row : tables->front().rows) {
    if (row.keys.front() == name) return Text(row.call_graph);
  }
  return "no such row";
}

// main -> a -> leaf 60, main -> b -> leaf 30, main -> a 8, main 2.
class CallGraphs : public ::testing::Test {
 protected:
  CallGraphs() : profile_(Make()) { options_.sort = {SortKey::kSym}; }
  static Profile Make() {
    Stream stream;
    const auto app = stream.Module("/bin/app");
    const auto thread = stream.Thread(1, 1, "app");
    const auto main = stream.Stack(app, {0x10});
    const auto a = stream.Node(main, app, 0x20);
    stream.Sample(thread, stream.Node(a, app, 0x40), 40);
    stream.Sample(thread, stream.Node(a, app, 0x41), 20);
    stream.Sample(thread, stream.Node(stream.Node(main, app, 0x30), app, 0x40), 30);
    stream.Sample(thread, a, 8);
    stream.Sample(thread, main, 2);
    stream.Symbol(app, 0x10, "main");
    stream.Symbol(app, 0x20, "a");
    stream.Symbol(app, 0x30, "b");
    stream.Symbol(app, 0x40, "leaf");
    stream.Symbol(app, 0x41, "leaf");
    return stream.Build();
  }
  [[nodiscard]] std::string Graph(const std::string& name) const {
    return GraphOf(profile_, options_, name);
  }
  Profile profile_;
  TableOptions options_;
};

TEST_F(CallGraphs, CallerOrderGoesFromTheRowToLeavesAndFromTheRootToTheRow) {
  EXPECT_EQ(Graph("main"), "main:100/2{a:68/8{leaf:60/60} b:30{leaf:30/30}}");
  // 60 of samples below a, 8 of its own with the whole stack.
  EXPECT_EQ(Graph("a"), "a:60{leaf:60/60} main:8{a:8/8}");
  EXPECT_EQ(Graph("leaf"), "main:90{a:60{leaf:60/60} b:30{leaf:30/30}}");
}

TEST_F(CallGraphs, CalleeOrderGoesFromTheRowToTheRoot) {
  options_.call_graph.order = CallGraphOrder::kCallee;
  EXPECT_EQ(Graph("leaf"), "leaf:90{a:60{main:60/60} b:30{main:30/30}}");
  EXPECT_EQ(Graph("a"), "a:68{main:68/68}");
  EXPECT_EQ(Graph("main"), "main:100/100");
}

TEST_F(CallGraphs, WithoutChildrenOnlySamplesOfTheRowItselfCount) {
  options_.children = false;
  EXPECT_EQ(Graph("a"), "a:8{main:8/8}");
  options_.call_graph.order = CallGraphOrder::kCaller;
  EXPECT_EQ(Graph("leaf"), "main:90{a:60{leaf:60/60} b:30{leaf:30/30}}");
}

TEST_F(CallGraphs, GraphPrunesByTheTotal) {
  options_.call_graph.min_percent = 40;
  EXPECT_EQ(Graph("main"), "main:100/2-30{a:68/8{leaf:60/60}}");
  EXPECT_EQ(Graph("a"), "a:60{leaf:60/60}");
  EXPECT_EQ(Graph("b"), "");
}

TEST_F(CallGraphs, FractalPrunesByTheSiblings) {
  options_.call_graph.style = CallGraphStyle::kFractal;
  options_.call_graph.min_percent = 40;
  EXPECT_EQ(Graph("main"), "main:100/2-30{a:68/8{leaf:60/60}}");
  EXPECT_EQ(Graph("b"), "b:30{leaf:30/30}");
}

TEST_F(CallGraphs, ByAddressKeepsCallSitesApart) {
  options_.call_graph.by_address = true;
  EXPECT_EQ(Graph("a"), "0x20:60{0x40:40/40 0x41:20/20} 0x10:8{0x20:8/8}");
}

TEST_F(CallGraphs, NoneHasNone) {
  options_.call_graph.style = CallGraphStyle::kNone;
  EXPECT_EQ(Graph("main"), "");
}

TEST(CallTree, RecursionBeginsAtTheOutermostCallAndInlinedCopiesAreOtherNodes) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  stream.Sample(thread, stream.Stack(app, {0x10, 0x20, 0x21, 0x30}), 10);
  stream.Symbol(app, 0x10, "main");
  stream.Symbol(app, 0x20, "f");
  stream.Symbol(app, 0x21, "f");
  stream.Symbol(app, 0x30,
                {{.name = "f", .file = "", .line = 0, .inlined = true},
                 {.name = "g", .file = "", .line = 0, .inlined = false}});
  const Profile profile = stream.Build();
  TableOptions options;
  options.sort = {SortKey::kSym};
  EXPECT_EQ(GraphOf(profile, options, "f"), "main:10{f:10{f:10{g:10{f!:10/10}}}}");
  EXPECT_EQ(GraphOf(profile, options, "g"), "g:10{f!:10/10}");
  options.sort = {SortKey::kSrcLine, SortKey::kSym};
  options.call_graph.order = CallGraphOrder::kCallee;
  EXPECT_EQ(GraphOf(profile, options, "??:0"), "f!:10{g:10{f:10{f:10{main:10/10}}}}");
}

TEST(CallTree, AbsurdlyDeepStacksAreCutNotFatal) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  model::StackId node = model::RootOf(model::StackEnd::kComplete);
  for (std::uint64_t i = 0; i < 20'000; ++i) node = stream.Node(node, app, 0x1000 + i % 2);
  stream.Sample(thread, node, 1);
  stream.Symbol(app, 0x1000, "even");
  stream.Symbol(app, 0x1001, "odd");
  TableOptions options;
  options.sort = {SortKey::kSym};
  const auto tables = BuildTables(stream.Build(), options);
  ASSERT_TRUE(tables.has_value());
  EXPECT_EQ(tables->front().rows.size(), 2U);
  EXPECT_EQ(tables->front().rows.front().children_weight, 1U);
}

// Weight of a node is its own and that of its children, shown or not.
void ExpectConserved(const CallNode& node) {
  std::uint64_t sum = node.own_weight + node.pruned_weight;
  for (const CallNode& child : node.children) {
    sum += child.weight;
    ExpectConserved(child);
  }
  EXPECT_EQ(sum, node.weight);
}

Profile RandomProfile(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  std::vector<model::StackId> nodes = {model::RootOf(model::StackEnd::kComplete)};
  for (int i = 0; i < 60; ++i) {
    nodes.push_back(stream.Node(nodes[below(static_cast<std::uint32_t>(nodes.size()))], app,
                                0x100 + below(12)));
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t at = 1 + below(static_cast<std::uint32_t>(nodes.size()) - 1);
    stream.Sample(thread, nodes[at], 1 + below(50), below(1000), below(4));
  }
  for (std::uint64_t i = 0; i < 12; ++i) {
    stream.Symbol(app, 0x100 + i, "f" + std::to_string(i % 7));
  }
  return stream.Build();
}

TEST(CallTree, WeightIsConservedOnRandomProfiles) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Profile profile = RandomProfile(seed);
    for (const CallGraphOrder order : {CallGraphOrder::kCaller, CallGraphOrder::kCallee}) {
      for (const double min_percent : {0.0, 5.0}) {
        TableOptions options;
        options.sort = {SortKey::kSym, SortKey::kCpu};
        options.call_graph.order = order;
        options.call_graph.min_percent = min_percent;
        const auto tables = BuildTables(profile, options);
        ASSERT_TRUE(tables.has_value());
        std::uint64_t self = 0;
        for (const TableRow& row : tables->front().rows) {
          self += row.self_weight;
          EXPECT_GE(row.children_weight, row.self_weight);
          EXPECT_GE(row.children_samples, row.self_samples);
          std::uint64_t roots = 0;
          for (const CallNode& node : row.call_graph) {
            roots += node.weight;
            ExpectConserved(node);
          }
          if (min_percent == 0) {
            EXPECT_EQ(roots, row.children_weight);
          } else {
            EXPECT_LE(roots, row.children_weight);
          }
        }
        EXPECT_EQ(self, tables->front().total_weight);
      }
    }
  }
}

}  // namespace
}  // namespace prof::analysis
