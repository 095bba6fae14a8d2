// What holds for any recordings: sums, symmetry, no order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "unit/analysis/diff/diff_run.h"

namespace prof::analysis::diff {
namespace {

using test::Diff;
using test::RunMaker;
using test::Sides;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  // `layout`: where addresses begin.
  Profile Make(std::uint64_t layout) {
    RunMaker run(layout);
    const int stacks = 3 + Below(25);
    for (int i = 0; i < stacks; ++i) {
      std::vector<std::string> functions;
      const int depth = 1 + Below(6);
      for (int level = 0; level < depth; ++level) functions.push_back(Function());
      run.Add(functions, 1 + Below(40), 1, 1 + static_cast<std::uint64_t>(Below(3'000'000)));
    }
    return run.Build();
  }

  Sides MakeSides(int before, int after) {
    Sides sides;
    for (int i = 0; i < before; ++i) sides.before.push_back(Make(0x1000));
    for (int i = 0; i < after; ++i) sides.after.push_back(Make(0x8000));
    return sides;
  }

  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

 private:
  std::string Function() {
    static const std::vector<std::string> kFunctions = {"main",
                                                        "f",
                                                        "f.cold",
                                                        "_Z1gi",
                                                        "_Z1gd",
                                                        "_Z1hv.isra.0",
                                                        "/lib/libc.so.6:memcpy",
                                                        "/lib/libc.so.6:?",
                                                        "/lib/libz.so.1.2:inflate",
                                                        "rare",
                                                        "tail"};
    return kFunctions[static_cast<std::size_t>(Below(static_cast<int>(kFunctions.size())))];
  }

  std::mt19937 random_;
};

DiffOptions Everything() {
  DiffOptions options;
  options.tree = true;
  options.callers = true;
  return options;
}

void ExpectNear(double a, double b) { EXPECT_NEAR(a, b, 1e-13 * (1 + std::abs(a))); }

TEST(DiffRandom, RowsAndTreesAddUpToTheTotal) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Generator generator(seed);
    const Sides sides = generator.MakeSides(1 + generator.Below(4), 1 + generator.Below(4));
    const EventDiff event = Diff(sides, Everything()).events.front();
    double before = event.scarce.before;
    double after = event.scarce.after;
    for (const DiffRow& row : event.rows) {
      before += row.self.before;
      after += row.self.after;
      EXPECT_GE(row.children.before, row.self.before * (1 - 1e-13));
      EXPECT_LE(row.children.before, event.total.change.before * (1 + 1e-13));
      EXPECT_GE(row.children.before_samples + row.children.after_samples, kFewestSamples);
    }
    ExpectNear(before, event.total.change.before);
    ExpectNear(after, event.total.change.after);
    double tree_before = 0;
    for (const DiffTree::Node& node : event.tree->nodes) tree_before += node.self_before;
    ExpectNear(tree_before, event.total.change.before);
    ExpectNear(event.tree->nodes.front().total.after, event.total.change.after);
    for (std::size_t at = 1; at < event.tree->nodes.size(); ++at) {
      const DiffTree::Node& node = event.tree->nodes[at];
      const DiffTree::Node& parent = event.tree->nodes[node.parent];
      EXPECT_LT(node.parent, at);
      EXPECT_LE(at + node.size, node.parent + parent.size);
    }
  }
}

void ExpectMirrored(const Change& a, const Change& b) {
  ExpectNear(a.before, b.after);
  ExpectNear(a.after, b.before);
  EXPECT_EQ(a.before_samples, b.after_samples);
  EXPECT_EQ(a.test.has_value(), b.test.has_value());
  if (!a.test || !b.test) return;
  ExpectNear(a.test->interval.low, -b.test->interval.high);
  EXPECT_NEAR(a.test->p, b.test->p, 1e-9);
  EXPECT_NEAR(a.test->adjusted_p, b.test->adjusted_p, 1e-9);
  EXPECT_EQ(a.test->significant, b.test->significant);
}

TEST(DiffRandom, SwappingSidesTurnsSignsRound) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    Generator generator(seed);
    const int runs = generator.Below(2) == 0 ? 1 : 4;
    Sides sides = generator.MakeSides(runs, runs);
    const EventDiff there = Diff(sides, Everything()).events.front();
    std::swap(sides.before, sides.after);
    const EventDiff back = Diff(sides, Everything()).events.front();
    ASSERT_EQ(there.rows.size(), back.rows.size());
    ExpectMirrored(there.scarce, back.scarce);
    EXPECT_EQ(there.total.change.test.has_value(), back.total.change.test.has_value());
    if (there.total.change.test) {
      EXPECT_EQ(there.total.verdict == TotalVerdict::kLower,
                back.total.verdict == TotalVerdict::kHigher);
      EXPECT_NEAR(there.total.change.test->interval.low, -back.total.change.test->interval.high,
                  1e-6);
    }
    for (std::size_t at = 0; at < there.rows.size(); ++at) {
      EXPECT_EQ(there.rows[at].keys, back.rows[at].keys);
      ExpectMirrored(there.rows[at].self, back.rows[at].self);
      ExpectMirrored(there.rows[at].children, back.rows[at].children);
      EXPECT_EQ(there.rows[at].presence == Presence::kGone,
                back.rows[at].presence == Presence::kAppeared);
    }
    ASSERT_EQ(there.tree->nodes.size(), back.tree->nodes.size());
    for (std::size_t at = 0; at < there.tree->nodes.size(); ++at) {
      ExpectMirrored(there.tree->nodes[at].total, back.tree->nodes[at].total);
    }
  }
}

TEST(DiffRandom, TheOrderOfRunsPlaysNoPart) {
  for (unsigned seed = 200; seed < 220; ++seed) {
    Generator generator(seed);
    Sides sides = generator.MakeSides(4, 5);
    const EventDiff one = Diff(sides, Everything()).events.front();
    std::ranges::rotate(sides.before, sides.before.begin() + 1 + seed % 3);
    std::ranges::reverse(sides.after);
    const EventDiff other = Diff(sides, Everything()).events.front();
    ASSERT_EQ(one.rows.size(), other.rows.size());
    for (std::size_t at = 0; at < one.rows.size(); ++at) {
      EXPECT_EQ(one.rows[at].keys, other.rows[at].keys);
      ExpectNear(one.rows[at].self.before, other.rows[at].self.before);
      ASSERT_EQ(one.rows[at].self.test.has_value(), other.rows[at].self.test.has_value());
      if (one.rows[at].self.test) {
        EXPECT_NEAR(one.rows[at].self.test->p, other.rows[at].self.test->p, 1e-9);
      }
    }
    EXPECT_EQ(one.total.verdict, other.total.verdict);
    EXPECT_NEAR(one.total.change.test->p, other.total.change.test->p, 1e-12);
  }
}

TEST(DiffRandom, BlocksOfTimeAddUpWhateverTheTimes) {
  for (unsigned seed = 300; seed < 310; ++seed) {
    std::mt19937_64 random(seed);
    const auto run = [&] {
      RunMaker result;
      const auto stack = result.stream().Stack(result.Module("/bin/app"), {0x10});
      result.stream().Symbol(result.Module("/bin/app"), 0x10, "f");
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t time = random() % 3 == 0 ? model::kUnknownTime : random() >> 1;
        result.stream().Sample(random() % 2 == 0 ? model::kUnknownThread : result.thread(), stack,
                               random() % 1000, time);
      }
      return result.Build();
    };
    Sides sides;
    sides.before.push_back(run());
    sides.after.push_back(run());
    const EventDiff event = Diff(sides).events.front();
    ASSERT_EQ(event.rows.size(), 1U);
    EXPECT_DOUBLE_EQ(event.rows.front().self.before, event.total.change.before);
    const auto& test = event.rows.front().self.test;
    ASSERT_TRUE(test.has_value());
    // The middle of the interval is the difference: the blocks hold all of it.
    EXPECT_NEAR((test->interval.low + test->interval.high) / 2, event.rows.front().self.Delta(),
                1e-12);
  }
}

}  // namespace
}  // namespace prof::analysis::diff
