#include "report/call_graph_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace prof::report {
namespace {

using analysis::CallGraphStyle;
using analysis::CallGraphValue;
using analysis::CallNode;

CallNode Node(std::string name, std::uint64_t weight, std::vector<CallNode> children = {},
              std::uint64_t pruned = 0) {
  CallNode node;
  node.name = std::move(name);
  node.weight = weight;
  node.samples = weight / 10;
  std::uint64_t below = pruned;
  for (const CallNode& child : children) below += child.weight;
  node.own_weight = weight - below;
  node.own_samples = node.own_weight / 10;
  node.pruned_weight = pruned;
  node.children = std::move(children);
  return node;
}

// The callers of leaf: what `perf report --no-children` draws for this test's program.
analysis::TableRow LeafRow() {
  analysis::TableRow row;
  row.self_weight = row.children_weight = 800;
  row.call_graph = {Node("leaf", 800,
                         {Node("c", 725, {Node("main", 725, {Node("_start", 725)})}),
                          Node("main", 75, {Node("_start", 75)})})};
  return row;
}

CallGraphText How(CallGraphStyle style) {
  CallGraphText how;
  how.options.style = style;
  how.total_weight = 1000;
  return how;
}

TEST(CallGraphTextTest, GraphIsDrawnAsPerfDrawsIt) {
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, How(CallGraphStyle::kGraph)),
            "            |\n"
            "            ---leaf\n"
            "               |\n"
            "               |--72.50%--c\n"
            "               |          main\n"
            "               |          _start\n"
            "               |\n"
            "                --7.50%--main\n"
            "                          _start\n"
            "\n");
}

TEST(CallGraphTextTest, NestedBranchesKeepTheBarsOfTheirAncestors) {
  analysis::TableRow row;
  row.call_graph = {Node(
      "_start", 1000,
      {Node("main", 900, {Node("c", 500, {Node("leaf", 400), Node("a", 100)}), Node("b", 300)}),
       Node("init", 100)})};
  EXPECT_EQ(RenderCallGraph(row, 1000, How(CallGraphStyle::kGraph)),
            "            |\n"
            "            ---_start\n"
            "               |\n"
            "               |--90.00%--main\n"
            "               |          |\n"
            "               |          |--50.00%--c\n"
            "               |          |          |\n"
            "               |          |          |--40.00%--leaf\n"
            "               |          |          |\n"
            "               |          |           --10.00%--a\n"
            "               |          |\n"
            "               |           --30.00%--b\n"
            "               |\n"
            "                --10.00%--init\n"
            "\n");
}

TEST(CallGraphTextTest, SeveralRootsHaveNoTrunk) {
  analysis::TableRow row;
  row.call_graph = {Node("main", 300, {Node("c", 200)}), Node("_start", 200, {Node("main", 200)})};
  EXPECT_EQ(RenderCallGraph(row, 500, How(CallGraphStyle::kGraph)),
            "            |\n"
            "            |--30.00%--main\n"
            "            |          |\n"
            "            |           --20.00%--c\n"
            "            |\n"
            "             --20.00%--_start\n"
            "                       main\n"
            "\n");
}

TEST(CallGraphTextTest, FirstFunctionIsLeftOutWhenTheRowIsSortedBySymbol) {
  CallGraphText how = How(CallGraphStyle::kGraph);
  how.skip_first = true;
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, how),
            "            |\n"
            "            |--72.50%--c\n"
            "            |          main\n"
            "            |          _start\n"
            "            |\n"
            "             --7.50%--main\n"
            "                       _start\n"
            "\n");
}

TEST(CallGraphTextTest, FractalSharesAreOfTheParentAndNameTheRest) {
  analysis::TableRow row = LeafRow();
  row.call_graph.front().children.pop_back();
  row.call_graph.front().pruned_weight = 75;
  EXPECT_EQ(RenderCallGraph(row, 800, How(CallGraphStyle::kFractal)),
            "            |\n"
            "            ---leaf\n"
            "               |\n"
            "               |--90.62%--c\n"
            "               |          main\n"
            "               |          _start\n"
            "                --9.38%--[...]\n"
            "\n");
}

TEST(CallGraphTextTest, FlatListsWholeChainsLargestFirst) {
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, How(CallGraphStyle::kFlat)),
            "           72.50%\n"
            "                leaf\n"
            "                c\n"
            "                main\n"
            "                _start\n"
            "\n"
            "           7.50%\n"
            "                leaf\n"
            "                main\n"
            "                _start\n"
            "\n");
}

TEST(CallGraphTextTest, FlatAndFoldedLeaveOutChainsBelowTheMinimum) {
  CallGraphText how = How(CallGraphStyle::kFolded);
  how.options.min_percent = 10;
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, how), "72.50% leaf;c;main;_start\n");
}

TEST(CallGraphTextTest, FoldedPutsAChainInALine) {
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, How(CallGraphStyle::kFolded)),
            "72.50% leaf;c;main;_start\n7.50% leaf;main;_start\n");
}

TEST(CallGraphTextTest, ValuesMayBeCountsOrPeriods) {
  CallGraphText how = How(CallGraphStyle::kFolded);
  how.options.value = CallGraphValue::kCount;
  how.options.print_limit = 1;
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, how), "72 leaf;c;main;_start\n");
  how.options.style = CallGraphStyle::kGraph;
  how.options.value = CallGraphValue::kPeriod;
  how.options.print_limit = 0;
  EXPECT_NE(RenderCallGraph(LeafRow(), 800, how).find("|--725--c\n"), std::string::npos);
}

TEST(CallGraphTextTest, PrintLimitKeepsTheLargestBranches) {
  CallGraphText how = How(CallGraphStyle::kGraph);
  how.options.print_limit = 1;
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, how),
            "            |\n"
            "            ---leaf\n"
            "               |\n"
            "               |--72.50%--c\n"
            "               |          main\n"
            "               |          _start\n"
            "\n");
}

TEST(CallGraphTextTest, InlinedFramesAreMarked) {
  analysis::TableRow row = LeafRow();
  row.call_graph.front().children.front().inlined = true;
  EXPECT_NE(RenderCallGraph(row, 800, How(CallGraphStyle::kGraph)).find("|--72.50%--c (inlined)\n"),
            std::string::npos);
}

TEST(CallGraphTextTest, ColoursFollowTheShare) {
  CallGraphText how = How(CallGraphStyle::kGraph);
  how.color = true;
  analysis::TableRow row;
  row.call_graph = {Node("main", 1000, {Node("a", 50), Node("b", 6), Node("c", 4)})};
  const std::string text = RenderCallGraph(row, 1000, how);
  EXPECT_NE(text.find("|--\033[31m5.00%\033[m--a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("|--\033[32m0.60%\033[m--b\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" --0.40%--c\n"), std::string::npos) << text;
}

TEST(CallGraphTextTest, DeepTreesStayOnTheScreen) {
  CallNode node = Node("std::vector<std::string, std::allocator<std::string>>::push_back", 100);
  for (std::uint64_t level = 1; level < 20; ++level) {
    node = Node("some_function_with_a_rather_long_name", 100 + level, {std::move(node)});
  }
  analysis::TableRow row;
  row.call_graph = {std::move(node)};
  for (const int width : {60, 80, 120}) {
    CallGraphText how = How(CallGraphStyle::kGraph);
    how.width = width;
    const std::string text = RenderCallGraph(row, 119, how);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    EXPECT_LE(longest, static_cast<std::size_t>(width) + (width == 60 ? 24U : 0U)) << width << '\n'
                                                                                   << text;
  }
}

// A recursion in which every level also does something of its own.
analysis::TableRow RecursionRow(std::uint64_t depth) {
  CallNode inner = Node("walk", 1);
  for (std::uint64_t level = 2; level <= depth; ++level) {
    std::vector<CallNode> children;
    children.push_back(std::move(inner));
    inner = Node("walk", level, std::move(children));
  }
  analysis::TableRow row;
  row.self_weight = row.children_weight = depth;
  row.call_graph.push_back(std::move(inner));
  return row;
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

TEST(CallGraphTextTest, InAPipeOnlyTreesTooDeepToReadAreIndentedLessThanPerfDoes) {
  const auto longest = [](std::uint64_t depth) {
    return LongestLine(RenderCallGraph(RecursionRow(depth), depth, How(CallGraphStyle::kGraph)));
  };
  EXPECT_EQ(longest(40) - longest(39), 11U);
  EXPECT_LT(longest(200), 500U);
  EXPECT_LT(longest(1000), 2100U);
}

TEST(CallGraphTextTest, NothingIsDrawnWithoutAGraph) {
  EXPECT_EQ(RenderCallGraph(LeafRow(), 800, How(CallGraphStyle::kNone)), "");
  EXPECT_EQ(RenderCallGraph(analysis::TableRow{}, 800, How(CallGraphStyle::kGraph)), "");
}

}  // namespace
}  // namespace prof::report
