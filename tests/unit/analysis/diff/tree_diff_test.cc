// Call trees of both sides, and callers of what changed.
#include <gmock/gmock.h>

#include "unit/analysis/diff/diff_run.h"

namespace prof::analysis::diff {
namespace {

using test::Diff;
using test::Pair;
using test::RunMaker;
using test::Sides;
using ::testing::ElementsAre;

DiffOptions WithTrees() {
  DiffOptions options;
  options.tree = true;
  options.callers = true;
  return options;
}

// "depth name self before/after total before/after" in ms, in preorder.
std::vector<std::string> Lines(const DiffTree& tree) {
  std::vector<std::string> lines;
  std::vector<int> depth(tree.nodes.size());
  const auto ms = [](double seconds) { return std::to_string(std::lround(seconds * 1000)); };
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const DiffTree::Node& node = tree.nodes[at];
    if (at > 0) depth[at] = depth[node.parent] + 1;
    lines.push_back(std::to_string(depth[at]) + " " + tree.names[node.name] + " " +
                    ms(node.self_before) + "/" + ms(node.self_after) + " " + ms(node.total.before) +
                    "/" + ms(node.total.after));
  }
  return lines;
}

// Five runs a side, so that changes can be significant; `make(bool after)` returns a profile.
template <class Make>
Sides FiveRuns(Make make) {
  Sides sides;
  for (int run = 0; run < 5; ++run) {
    sides.before.push_back(make(false));
    sides.after.push_back(make(true));
  }
  return sides;
}

TEST(TreeDiff, JoinsBothSidesByName) {
  RunMaker before;
  before.Add({"main", "f", "g"}, 20).Add({"main", "f"}, 30).Add({"main", "old"}, 10);
  RunMaker after(0x5000);
  after.Add({"main", "new"}, 10).Add({"main", "f.isra.0", "g"}, 50).Add({"main", "f.isra.0"}, 30);
  const auto tree = Diff(Pair(before, after), WithTrees()).events.front().tree;
  ASSERT_TRUE(tree.has_value());
  EXPECT_THAT(Lines(*tree), ElementsAre("0  0/0 60/90", "1 main 0/0 60/90", "2 f 30/30 50/80",
                                        "3 g 20/50 20/50", "2 new 0/10 0/10", "2 old 10/0 10/0"));
  EXPECT_THAT(tree->nodes[1].size, 5U);
  EXPECT_TRUE(tree->nodes[2].total.test.has_value());
  EXPECT_FALSE(tree->nodes[0].total.test.has_value());
}

TEST(TreeDiff, NamesCodeWithoutSymbolsByModule) {
  RunMaker before;
  before.Add({"main", "/lib/libx.so.1:?"}, 20);
  RunMaker after;
  after.Add({"main", "/lib/libx.so.1:?"}, 20);
  const auto tree = Diff(Pair(before, after), WithTrees()).events.front().tree;
  EXPECT_EQ(Lines(*tree).back(), "2 [libx.so.1] 20/20 20/20");
}

TEST(TreeDiff, CallersOfChangedRowsComeByTheirChange) {
  const Sides sides = FiveRuns([](bool after) {
    RunMaker run;
    run.Add({"main", "slow", "f"}, after ? 700 : 100)
        .Add({"main", "same", "f"}, after ? 310 : 300)
        .Add({"f"}, 20);
    return run.Build();
  });
  const ProfileDiff diff = Diff(sides, WithTrees());
  const EventDiff& event = diff.events.front();
  ASSERT_EQ(event.callers.size(), event.rows.size());
  ASSERT_THAT(event.rows.front().keys, ElementsAre("app", "f"));
  const auto& callers = event.callers.front();
  ASSERT_EQ(callers.size(), 2U);
  EXPECT_EQ(callers[0].name, "slow");
  EXPECT_NEAR(callers[0].change.Delta(), 0.6, 1e-12);
  EXPECT_EQ(callers[1].name, "same");
  EXPECT_EQ(callers[0].callers.front().name, "main");
  EXPECT_TRUE(callers[0].callers.front().callers.empty());
}

TEST(TreeDiff, CallersOfATaskAreItsOwn) {
  const Sides sides = FiveRuns([](bool after) {
    const int changed = after ? 900 : 100;
    RunMaker result;
    result.Add({"main", "a", "f"}, 200);
    const auto app = result.Module("/bin/app");
    const auto other = result.stream().Thread(9, 9, "other");
    result.stream().Symbol(app, 0x10, "main");
    result.stream().Symbol(app, 0x20, "b");
    result.stream().Symbol(app, 0x30, "f");
    const auto stack = result.stream().Stack(app, {0x10, 0x20, 0x30});
    for (int i = 0; i < changed; ++i) {
      result.stream().Sample(other, stack, test::kMs, 1000 + 1'000'000 * i);
    }
    return result.Build();
  });
  DiffOptions options = WithTrees();
  options.keys = {SortKey::kComm, SortKey::kSym};
  const EventDiff event = Diff(sides, options).events.front();
  ASSERT_THAT(event.rows.front().keys, ElementsAre("other", "f"));
  ASSERT_EQ(event.callers.front().size(), 1U);
  EXPECT_EQ(event.callers.front().front().name, "b");
}

TEST(TreeDiff, SmallCallersAreAddedUp) {
  const Sides sides = FiveRuns([](bool after) {
    RunMaker run;
    for (int i = 0; i < 300; ++i) run.Add({"caller" + std::to_string(i), "f"}, after ? 4 : 1);
    run.Add({"large", "f"}, after ? 1300 : 100);
    return run.Build();
  });
  const EventDiff event = Diff(sides, WithTrees()).events.front();
  const auto& callers = event.callers.front();
  ASSERT_EQ(callers.size(), 2U);
  EXPECT_EQ(callers[0].name, "large");
  EXPECT_EQ(callers[1].folded, 300U);
  EXPECT_EQ(callers[1].name, "300 more callers");
  EXPECT_NEAR(callers[1].change.Delta(), 0.9, 1e-12);
}

TEST(TreeDiff, DeepRecursionIsCutAndLosesNothing) {
  const Sides sides = FiveRuns([](bool after) {
    RunMaker run;
    run.Add(std::vector<std::string>(500, "f"), after ? 500 : 100);
    return run.Build();
  });
  const EventDiff event = Diff(sides, WithTrees()).events.front();
  EXPECT_EQ(event.tree->nodes.size(), 501U);
  int levels = 0;
  const std::vector<CallerChange>* callers = &event.callers.front();
  while (!callers->empty()) {
    ++levels;
    EXPECT_DOUBLE_EQ(callers->front().change.after, 0.5);
    callers = &callers->front().callers;
  }
  EXPECT_EQ(levels, 64);
}

}  // namespace
}  // namespace prof::analysis::diff
