// The contract of TestCountChanges: shapes, units, both sides alike, and no input that it fails at.
#include "prof/analysis/statistics/count_changes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "analysis/statistics/distributions.h"
#include "unit/analysis/statistics/simulated_program.h"

#include "prof/analysis/statistics/multiplicity.h"

namespace prof::analysis::statistics {
namespace {

using test::Random;
using test::Sides;
using test::SimulatedProgram;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

std::string MessageOf(const std::vector<ItemAmounts>& items, CountUnits units) {
  const Result<CountChanges> changes = TestCountChanges(items, {.units = units});
  if (changes) return "";
  EXPECT_EQ(changes.error().kind, ErrorKind::kBadData);
  return changes.error().message;
}

TEST(CountChanges, ShapesThatShowNoSpreadAreRefused) {
  const Values one = {5};
  const Values two = {5, 6};
  const Values none;
  EXPECT_EQ(MessageOf({{one, one}}, CountUnits::kRuns),
            "cannot compare 1 runs with 1: three or more are needed in all, at least one on each "
            "side");
  EXPECT_NE(MessageOf({{none, two}}, CountUnits::kRuns), "");
  EXPECT_EQ(MessageOf({{one, two}}, CountUnits::kRuns), "");
  EXPECT_EQ(MessageOf({{one, one}}, CountUnits::kBlocks),
            "cannot compare 1 blocks of time with 1: two or more are needed, as many on either "
            "side");
  EXPECT_NE(MessageOf({{one, two}}, CountUnits::kBlocks), "");
  EXPECT_EQ(MessageOf({{two, two}}, CountUnits::kBlocks), "");
  EXPECT_EQ(MessageOf({{two, two}, {two, one}}, CountUnits::kRuns),
            "cannot compare item 2: it has amounts of 2 and 1 units, the first of 2 and 2");
}

TEST(CountChanges, AmountsThatAreNoneAreRefused) {
  const Values good = {1, 2};
  for (const double bad : {-1.0, kInfinite, std::nan(""), 1e21}) {
    const Values values = {1, bad};
    EXPECT_NE(MessageOf({{good, good}, {values, good}}, CountUnits::kRuns), "") << bad;
    EXPECT_NE(MessageOf({{good, values}}, CountUnits::kBlocks), "") << bad;
    EXPECT_NE(MessageOf({{good, good, 1, bad}}, CountUnits::kRuns), "") << bad;
  }
  for (const double bad : {0.0, -1.0, kInfinite, std::nan("")}) {
    EXPECT_NE(MessageOf({{good, good, bad}}, CountUnits::kRuns), "") << bad;
  }
}

TEST(CountChanges, NoItemsAreAnEmptyResult) {
  const CountChanges changes = *TestCountChanges({});
  EXPECT_TRUE(changes.items.empty());
}

TEST(CountChanges, RunsGiveMeansAndBlocksGiveSums) {
  const Values before = {2, 4, 6};
  const Values after = {10, 20, 30};
  const std::vector<ItemAmounts> items = {{before, after}};
  const CountChange runs = TestCountChanges(items)->items[0];
  EXPECT_EQ(runs.before, 4);
  EXPECT_EQ(runs.after, 20);
  EXPECT_EQ(runs.delta, 16);
  const CountChange blocks = TestCountChanges(items, {.units = CountUnits::kBlocks})->items[0];
  EXPECT_EQ(blocks.before, 12);
  EXPECT_EQ(blocks.after, 60);
  EXPECT_EQ(blocks.delta, 48);
}

void ExpectSane(const CountChanges& changes, const std::string& what) {
  EXPECT_GE(changes.variation, 0) << what;
  EXPECT_GE(changes.widened, 1) << what;
  EXPECT_GE(changes.prior_degrees, 0) << what;
  for (const CountChange& change : changes.items) {
    EXPECT_TRUE(std::isfinite(change.delta)) << what;
    EXPECT_TRUE(std::isfinite(change.interval.low)) << what;
    EXPECT_TRUE(std::isfinite(change.interval.high)) << what;
    EXPECT_TRUE(change.interval.Contains(change.delta)) << what;
    EXPECT_TRUE(change.standard_error >= 0) << what;
    EXPECT_TRUE(change.degrees > 0) << what;
    EXPECT_TRUE(change.p >= 0 && change.p <= 1) << what;
    EXPECT_TRUE(change.adjusted_p >= change.p && change.adjusted_p <= 1) << what;
    EXPECT_TRUE(change.detectable > 0 && std::isfinite(change.detectable)) << what;
  }
}

TEST(CountChanges, NothingInTheAmountsMakesItFail) {
  const Values shapes[] = {{0, 0, 0}, {0, 0, 12},       {1e20, 1e20, 1e20}, {1e20, 0, 0},
                           {7, 7, 7}, {1e-12, 0, 1e-9}, {1, 2, 3},          {1e6, 1e6 + 1, 1e6}};
  for (const CountUnits units : {CountUnits::kRuns, CountUnits::kBlocks}) {
    std::vector<ItemAmounts> all;
    for (const Values& before : shapes) {
      for (const Values& after : shapes) {
        for (const double quantum : {1.0, 1e-9, 1e12}) {
          const std::vector<ItemAmounts> items = {{before, after, quantum}};
          if (quantum < 1 && (before[0] > 1e9 || after[0] > 1e9)) continue;  // too many samples
          const Result<CountChanges> alone = TestCountChanges(items, {.units = units});
          ASSERT_TRUE(alone.has_value());
          ExpectSane(*alone, std::to_string(before[2]) + " " + std::to_string(after[2]));
          all.push_back(items[0]);
        }
      }
    }
    ExpectSane(*TestCountChanges(all, {.units = units}), "all");
  }
}

TEST(CountChanges, ItemsWithoutSamplesHaveNotChanged) {
  const Values zeros(10, 0.0);
  const Values some = {3, 5, 4, 6, 2, 5, 4, 3, 6, 5};
  const std::vector<ItemAmounts> items = {{zeros, zeros}, {some, some}};
  for (const CountUnits units : {CountUnits::kRuns, CountUnits::kBlocks}) {
    const CountChanges changes = *TestCountChanges(items, {.units = units});
    EXPECT_EQ(changes.items[0].p, 1);
    EXPECT_EQ(changes.items[0].interval, Interval());
  }
}

TEST(CountChanges, AppearedAndGoneItemsAreChanges) {
  Random random(71);
  SimulatedProgram before{.functions = test::SomeFunctions(30, 9970, 0.02)};
  SimulatedProgram after = before;
  before.functions[10].mean = 0;
  after.functions[11].mean = 0;
  for (const std::size_t runs : {1, 3, 10}) {
    const CountUnits units = runs == 1 ? CountUnits::kBlocks : CountUnits::kRuns;
    const Sides sides(before, runs, after, runs, units, random);
    const CountChanges changes = *TestCountChanges(sides.items(), {.units = units});
    EXPECT_TRUE(changes.items[10].significant) << runs;
    EXPECT_GT(changes.items[10].interval.low, 0) << runs;
    EXPECT_TRUE(changes.items[11].significant) << runs;
    EXPECT_LT(changes.items[11].interval.high, 0) << runs;
  }
}

TEST(CountChanges, SwappingTheSidesTurnsSignsAndNoOtherBit) {
  const auto same = [](double left, double right) {
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
  };
  Random random(72);
  const SimulatedProgram before{.functions = test::SomeFunctions(40, 3000, 0.1), .machine = 0.05};
  SimulatedProgram after = before;
  for (std::size_t i = 0; i < 40; i += 5) after.functions[i].mean *= 1.7;
  for (const auto& [n_before, n_after] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 1}, {1, 3}, {2, 2}, {4, 6}, {8, 8}, {7, 10}}) {
    const CountUnits units = n_before + n_after == 2 ? CountUnits::kBlocks : CountUnits::kRuns;
    const Sides sides(before, n_before, after, n_after, units, random);
    std::vector<ItemAmounts> there;
    std::vector<ItemAmounts> back;
    for (std::size_t i = 0; i < 40; ++i) {
      const ItemAmounts& item = sides.items()[i];
      const double disturbance = i % 4 == 0 ? 3.3 : 0;
      there.push_back({item.before, item.after, 0.001003009, disturbance * 0.001});
      back.push_back({item.after, item.before, 0.001003009, disturbance * 0.001});
    }
    const CountChanges one = *TestCountChanges(there, {.units = units});
    const CountChanges other = *TestCountChanges(back, {.units = units});
    EXPECT_EQ(one.test, other.test);
    EXPECT_TRUE(same(one.variation, other.variation));
    EXPECT_TRUE(same(one.prior_degrees, other.prior_degrees));
    EXPECT_TRUE(same(one.widened, other.widened));
    for (std::size_t i = 0; i < 40; ++i) {
      const CountChange& a = one.items[i];
      const CountChange& b = other.items[i];
      EXPECT_TRUE(same(a.before, b.after) && same(a.after, b.before)) << i;
      EXPECT_EQ(a.delta, -b.delta) << i;
      EXPECT_EQ(a.interval.low, -b.interval.high) << i;
      EXPECT_EQ(a.interval.high, -b.interval.low) << i;
      EXPECT_TRUE(same(a.standard_error, b.standard_error) && same(a.degrees, b.degrees)) << i;
      EXPECT_TRUE(same(a.p, b.p) && same(a.adjusted_p, b.adjusted_p)) << i << " " << n_before;
      EXPECT_TRUE(same(a.detectable, b.detectable)) << i;
      EXPECT_EQ(a.significant, b.significant) << i;
    }
  }
}

TEST(CountChanges, PermutationIsTakenWhereItsSmallestPSuffices) {
  Random random(73);
  const auto test_of = [&](std::size_t items, std::size_t before, std::size_t after) {
    const SimulatedProgram program{.functions = test::SomeFunctions(items, 5000, 0.02)};
    const Sides sides(program, before, program, after, CountUnits::kRuns, random);
    return TestCountChanges(sides.items())->test;
  };
  // 6 against 6: 2 of 924 ways.
  EXPECT_EQ(test_of(23, 6, 6), CountTest::kPermutation);
  EXPECT_EQ(test_of(24, 6, 6), CountTest::kModerated);
  EXPECT_EQ(test_of(2, 3, 3), CountTest::kModerated);
  EXPECT_EQ(test_of(20, 11, 11), CountTest::kModerated);  // too many ways
  EXPECT_EQ(test_of(20, 4, 12), CountTest::kPermutation);
}

TEST(CountChanges, AdjustedAndDetectableFollowTheOtherItems) {
  Random random(74);
  const SimulatedProgram before{.functions = test::SomeFunctions(25, 9970, 0.02)};
  SimulatedProgram after = before;
  for (const std::size_t i : {2, 5, 9}) after.functions[i].mean *= 1.6;
  const Sides sides(before, 5, after, 5, CountUnits::kRuns, random);
  const CountChanges changes = *TestCountChanges(sides.items());
  Values ps;
  double significant = 0;
  for (const CountChange& change : changes.items) {
    ps.push_back(change.p);
    significant += change.significant ? 1 : 0;
  }
  EXPECT_EQ(significant, 3);
  const Values adjusted = AdjustBenjaminiHochberg(ps);
  const double in_force = 0.05 * 3 / 25;
  for (std::size_t i = 0; i < 25; ++i) {
    const CountChange& change = changes.items[i];
    EXPECT_EQ(change.adjusted_p, adjusted[i]);
    EXPECT_EQ(change.significant, change.p <= in_force);
    const double quantiles = StudentQuantile(1 - in_force / 2, std::min(change.degrees, 1e6)) +
                             StudentQuantile(0.8, std::min(change.degrees, 1e6));
    EXPECT_NEAR(change.detectable / (change.standard_error * quantiles), 1, 0.01) << i;
    const double half = StudentQuantile(0.975, std::min(change.degrees, 1e6));
    EXPECT_NEAR(change.interval.Width() / 2 / (change.standard_error * half), 1, 0.01) << i;
  }
  // Without a change each item would have had to be the only one.
  const Sides equal(before, 5, before, 5, CountUnits::kRuns, random);
  const CountChange none = TestCountChanges(equal.items())->items[4];
  EXPECT_NEAR(none.detectable / none.standard_error,
              StudentQuantile(1 - 0.05 / 25 / 2, std::min(none.degrees, 1e6)) +
                  StudentQuantile(0.8, std::min(none.degrees, 1e6)),
              0.05);
}

TEST(CountChanges, FewSamplesAreNoMoreCertainThanChanceAllows) {
  // 5 of 5 samples in the one run before, none in five runs after: (1/6)^5 and its twin.
  const Values before = {5};
  const Values after(5, 0.0);
  const std::vector<ItemAmounts> items = {{before, after}};
  EXPECT_GE(TestCountChanges(items)->items[0].p, 2 * std::pow(1.0 / 6, 5));
}

TEST(CountChanges, ADisturbedItemNeedsMoreOfAChange) {
  Random random(75);
  const SimulatedProgram before{.functions = test::SomeFunctions(30, 9970, 0.02)};
  SimulatedProgram after = before;
  after.functions[29].mean += 100;
  for (const std::size_t runs : {1, 2}) {
    const CountUnits units = runs == 1 ? CountUnits::kBlocks : CountUnits::kRuns;
    const Sides sides(before, runs, after, runs, units, random);
    std::vector<ItemAmounts> items = sides.items();
    const CountChanges quiet = *TestCountChanges(items, {.units = units});
    items[29].disturbance = kKernelDisturbance * 9970;
    const CountChanges disturbed = *TestCountChanges(items, {.units = units});
    EXPECT_TRUE(quiet.items[29].significant) << runs;
    EXPECT_FALSE(disturbed.items[29].significant) << runs;
    EXPECT_GT(disturbed.items[29].detectable, 100) << runs;
    EXPECT_EQ(disturbed.items[29].delta, quiet.items[29].delta) << runs;
  }
}

// A function that runs in one half only is compared with itself in that half.
TEST(CountChanges, PhasesThatBothRunsHaveAreNoNoise) {
  Random random(76);
  SimulatedProgram before{.functions = test::SomeFunctions(30, 9970, 0.01)};
  for (std::size_t i = 0; i < 30; ++i) before.functions[i].end = 0.5;
  SimulatedProgram after = before;
  after.functions[8].mean *= 1.8;
  const Sides sides(before, 1, after, 1, CountUnits::kBlocks, random);
  const CountChange change =
      TestCountChanges(sides.items(), {.units = CountUnits::kBlocks})->items[8];
  EXPECT_TRUE(change.significant);
  // Chance alone: the square root of all samples, by a bit more for the guess of how runs vary.
  EXPECT_LT(change.standard_error, 2 * std::sqrt(change.before + change.after));
}

// As many samples more, but in two blocks of one run only: not what a change looks like.
TEST(CountChanges, ABurstIsNoChange) {
  Random random(77);
  const SimulatedProgram program{.functions = test::SomeFunctions(30, 9970, 0.01)};
  const Sides sides(program, 1, program, 1, CountUnits::kBlocks, random);
  std::vector<ItemAmounts> items = sides.items();
  Values after(items[8].after.begin(), items[8].after.end());
  after[3] += 150;
  after[4] += 150;
  items[8].after = after;
  const CountChange change = TestCountChanges(items, {.units = CountUnits::kBlocks})->items[8];
  EXPECT_FALSE(change.significant);
  EXPECT_TRUE(change.interval.Contains(0));
}

}  // namespace
}  // namespace prof::analysis::statistics
