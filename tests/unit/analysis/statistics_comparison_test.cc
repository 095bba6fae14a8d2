// Two samples: published tables, ties and small numbers, many tests at once, verdicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/rank_sum.h"
#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/statistics/comparison.h"
#include "prof/analysis/statistics/multiplicity.h"
#include "prof/analysis/statistics/power.h"

namespace prof::analysis::statistics {
namespace {

using test::Of;
using test::Random;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// The largest U that is significant at 5 % two-sided; Milton, "An extended table of critical values
// for the Mann-Whitney (Wilcoxon) two-sample statistic", JASA 59 (1964), and textbooks after it.
TEST(MannWhitney, CriticalValuesAreThePublishedOnes) {
  const std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> table = {
      {4, 4, 0},    {5, 5, 2},    {6, 6, 5},    {7, 7, 8},    {8, 8, 13},    {9, 9, 17},
      {10, 10, 23}, {12, 12, 37}, {15, 15, 64}, {18, 18, 99}, {20, 20, 127}, {3, 5, 0},
      {4, 6, 2},    {5, 8, 6},    {7, 10, 14},  {10, 15, 39}, {10, 20, 55}};
  for (const auto& [n_a, n_b, largest] : table) {
    EXPECT_EQ(FindCriticalU(n_a, n_b, 0.025).value, largest + 1) << n_a << " " << n_b;
    EXPECT_EQ(FindCriticalU(n_b, n_a, 0.025).value, largest + 1) << n_b << " " << n_a;
  }
  EXPECT_EQ(FindCriticalU(3, 3, 0.025).value, 0U);
  EXPECT_EQ(FindCriticalU(1, 30, 0.025).value, 0U);
}

TEST(MannWhitney, NormalCriticalValuesMeetTheExactOnesWhereTheyTakeOver) {
  const CriticalU exact = FindCriticalU(100, 100, 0.025);
  const CriticalU normal = FindCriticalU(100, 101, 0.025);
  EXPECT_NEAR(static_cast<double>(normal.value) / 101, static_cast<double>(exact.value) / 100, 0.3);
  EXPECT_NEAR(normal.outside, 0.025, 2e-4);
}

// Counting subsets of ranks adds up positive numbers alone; without ties it must give the same as
// the generating function, which subtracts.
TEST(MannWhitney, BothWaysToCountAgree) {
  for (const auto& [n_a, n_b] : {std::pair{1, 7}, {5, 5}, {10, 12}, {40, 40}}) {
    std::vector<std::uint32_t> doubled;
    for (int rank = 1; rank <= n_a + n_b; ++rank) doubled.push_back(std::uint32_t(2 * rank));
    const std::vector<double> chance =
        ProbabilitiesOfU(std::size_t(n_a), std::size_t(n_b), std::size_t(n_a * n_b) / 2);
    double tail = 0;
    for (std::size_t u = 0; u < chance.size(); ++u) {
      tail += chance[u];
      const auto sum = 2 * u + std::uint64_t(n_b) * std::uint64_t(n_b + 1);
      const double expected = std::min(1.0, 2 * tail);
      if (n_a > 20 && u % 60 != 0) continue;
      ASSERT_NEAR(TwoSidedTied(doubled, std::size_t(n_b), sum), expected, 1e-10 * expected) << u;
    }
  }
}

TEST(MannWhitney, EqualValuesAndSinglesShowNothing) {
  EXPECT_EQ(TestMannWhitney(Of({1}), Of({2})).p, 1);
  EXPECT_EQ(TestMannWhitney(Of({1}), Of({1})).p, 1);
  EXPECT_EQ(TestMannWhitney(Of({3, 3, 3, 3}), Of({3, 3, 3, 3, 3})).p, 1);
  const std::vector<double> many(5000, 3.0);
  EXPECT_EQ(TestMannWhitney(Of(many), Of(many)).p, 1);
  EXPECT_EQ(TestMannWhitney(Of({1, 2}), Of({1, 2})).cliffs_delta, 0);
}

TEST(MannWhitney, ManyTiesOfConstantSidesAreExact) {
  const MannWhitney result =
      TestMannWhitney(Of(std::vector<double>(10, 100)), Of(std::vector<double>(10, 101)));
  EXPECT_EQ(result.method, PMethod::kExactTies);
  EXPECT_NEAR(result.p, 2 / 184756.0, 1e-15);
  EXPECT_EQ(result.cliffs_delta, 1);
}

TEST(Shift, NegativeZeroAndSignsAreOrdered) {
  const Shift shift = ShiftOf(Of({0.0, -0.0, 1, -1}), Of({-0.0, 0.0, 1, -1}));
  EXPECT_EQ(shift.estimate, 0);
  EXPECT_EQ(shift.interval, (Interval{-2, 2}));
}

TEST(Shift, RatioIsTheShiftOfLogarithmsAndNeedsPositiveValues) {
  const Sample a = Of({1, 2, 4, 8, 16});
  const auto ratio = RatioOf(a, Of({3, 6, 12, 24, 48}));
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->estimate, 3, 1e-12);
  EXPECT_NEAR(ratio->interval->low * ratio->interval->high, 9, 1e-12);
  EXPECT_FALSE(RatioOf(a, Of({0, 1, 2})));
  EXPECT_FALSE(RatioOf(Of({-1, 1}), a));
}

TEST(Means, OddSamplesHaveNoTest) {
  EXPECT_FALSE(TestWelch(Of({1}), Of({1, 2})));
  EXPECT_FALSE(TestWelch(Of({1, 1}), Of({2, 2})));
  EXPECT_FALSE(EffectSizeOf(Of({1}), Of({1, 2})));
  EXPECT_FALSE(EffectSizeOf(Of({1, 1}), Of({2, 2})));
  EXPECT_EQ(TestMeansByPermutation(Of({1}), Of({2})).p, 1);
  EXPECT_EQ(TestMeansByPermutation(Of({1, 1, 1, 1}), Of({1, 1, 1, 1})).p, 1);
}

TEST(Means, DrawnPermutationsComeNearTheTTest) {
  Random random(7);
  std::vector<double> a(40);
  std::vector<double> b(50);
  for (double& value : a) value = random.Normal();
  for (double& value : b) value = 0.4 + random.Normal();
  const Permutation result = TestMeansByPermutation(Of(a), Of(b));
  EXPECT_EQ(result.method, PMethod::kRandomPermutations);
  EXPECT_NEAR(result.p, TestWelch(Of(a), Of(b))->p, 0.01);
  EXPECT_EQ(result.p, TestMeansByPermutation(Of(a), Of(b)).p) << "the same data gives the same p";
}

TEST(Power, SmallestPAndTheRunsForIt) {
  EXPECT_NEAR(SmallestReachableP(3, 3), 0.1, 1e-15);
  EXPECT_NEAR(SmallestReachableP(4, 4), 2 / 70.0, 1e-15);
  EXPECT_EQ(SmallestReachableP(1, 1), 1);
  EXPECT_EQ(SmallestReachableP(2'000, 2'000), 0);
  EXPECT_EQ(RunsForComparison(), 4U);
  EXPECT_EQ(RunsForComparison(0.01), 5U);
  EXPECT_EQ(RunsForComparison(0.001), 7U);
}

TEST(Power, SmallestDetectableIsFoundInFourOfFive) {
  // 80 % of experiments whose true shift is that very one find it.
  Random random(8);
  constexpr double kShift = 0.5;
  int found = 0;
  double claimed = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> a(66);  // (0.5 / 2.80)^2 = 2 / n x pi / 3
    std::vector<double> b(66);
    for (double& value : a) value = random.Normal();
    for (double& value : b) value = kShift + random.Normal();
    found += TestMannWhitney(Of(a), Of(b)).p <= 0.05 ? 1 : 0;
    claimed += SmallestDetectable(*ShiftOf(Of(a), Of(b)).interval) / kTrials;
  }
  EXPECT_NEAR(claimed, kShift, 0.03);
  EXPECT_TRUE(test::WithinBinomial(found, kTrials, 0.80)) << found;
}

// Values as R's p.adjust gives them; then the example of Benjamini and Hochberg (1995).
TEST(Multiplicity, AdjustedPValuesAreThePublishedOnes) {
  const std::vector<double> p = {0.02, 0.01, 0.05, 0.03, 0.04};
  EXPECT_THAT(AdjustHolm(p), Pointwise(DoubleNear(1e-12), {0.08, 0.05, 0.09, 0.09, 0.09}));
  EXPECT_THAT(AdjustBenjaminiHochberg(p),
              Pointwise(DoubleNear(1e-12), {0.05, 0.05, 0.05, 0.05, 0.05}));
  const std::vector<double> trial = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                     0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const auto count = [](const std::vector<double>& adjusted) {
    return std::count_if(adjusted.begin(), adjusted.end(), [](double q) { return q <= 0.05; });
  };
  EXPECT_EQ(count(AdjustBenjaminiHochberg(trial)), 4);
  EXPECT_EQ(count(AdjustHolm(trial)), 3);
}

TEST(Multiplicity, WhatIsNoPCountsAsOne) {
  EXPECT_TRUE(AdjustHolm({}).empty());
  EXPECT_TRUE(AdjustBenjaminiHochberg({}).empty());
  const std::vector<double> p = {std::nan(""), 0.01, -0.1, 2};
  EXPECT_THAT(AdjustHolm(p), ElementsAre(1, 0.04, 1, 1));
  EXPECT_THAT(AdjustBenjaminiHochberg(p), ElementsAre(1, 0.04, 1, 1));
}

std::vector<double> Normal(double mean, double deviation, std::size_t n, Random& random) {
  std::vector<double> values(n);
  for (double& value : values) value = mean + deviation * random.Normal();
  return values;
}

TEST(Comparison, AFasterSideIsToldWithItsRatio) {
  Random random(9);
  const Sample a = Of(Normal(100, 1, 10, random));
  const Sample b = Of(Normal(86, 1, 10, random));
  const Comparison comparison = Compare(a, b);
  EXPECT_EQ(Judge(comparison, comparison.mann_whitney.p), Verdict::kLower);
  EXPECT_NEAR(comparison.ratio->estimate, 0.86, 0.01);
  EXPECT_TRUE(comparison.ratio->interval->Contains(0.86));
  EXPECT_NEAR(comparison.mann_whitney.p, 2 / 184756.0, 1e-12);
  const Comparison back = Compare(b, a);
  EXPECT_EQ(Judge(back, back.mann_whitney.p), Verdict::kHigher);
  EXPECT_NEAR(back.ratio->estimate * comparison.ratio->estimate, 1, 1e-12);
  EXPECT_NEAR(back.ratio->interval->low * comparison.ratio->interval->high, 1, 1e-12);
  EXPECT_EQ(back.shift.estimate, -comparison.shift.estimate);
  EXPECT_EQ(Judge(comparison, 0.06), Verdict::kNoDifferenceShown) << "p corrected above alpha";
}

TEST(Comparison, NoDifferenceSaysWhatCouldHaveBeenShown) {
  Random random(10);
  const Comparison comparison =
      Compare(Of(Normal(100, 1, 10, random)), Of(Normal(100, 1, 10, random)));
  EXPECT_EQ(Judge(comparison, comparison.mann_whitney.p), Verdict::kNoDifferenceShown);
  // 2.80 standard errors of 1 % x sqrt(2 / 10) x sqrt(pi / 3).
  EXPECT_NEAR(comparison.smallest_change.value(), 0.0128, 0.005);
}

TEST(Comparison, NoiseIsNamed) {
  Random random(11);
  std::vector<double> rising = Normal(100, 2, 12, random);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] += 6 * double(i);
  const Comparison comparison = Compare(Of(rising), Of(Normal(130, 30, 12, random)));
  EXPECT_EQ(Judge(comparison, comparison.mann_whitney.p), Verdict::kTooNoisy);
  EXPECT_TRUE(comparison.noise_a.drift && comparison.noise_a.spread);
  EXPECT_TRUE(comparison.noise_b.spread && !comparison.noise_b.drift);
  EXPECT_GT(comparison.smallest_change.value(), 0.10);
}

TEST(Comparison, TooFewRunsNameTheRunsNeeded) {
  const Comparison three = Compare(Of({1, 2, 3}), Of({14, 15, 16}));
  EXPECT_EQ(Judge(three, three.mann_whitney.p), Verdict::kTooFewRuns);
  EXPECT_NEAR(three.smallest_p, 0.1, 1e-15);
  EXPECT_EQ(three.runs_needed, 4U);
  EXPECT_FALSE(three.smallest_change);
  const ComparisonOptions ten{.comparisons = 10};
  const Comparison four = Compare(Of({1, 2, 3, 4}), Of({14, 15, 16, 17}), ten);
  EXPECT_EQ(four.runs_needed, 6U);
  EXPECT_EQ(Judge(four, four.mann_whitney.p), Verdict::kHigher);
  EXPECT_EQ(Judge(four, four.mann_whitney.p * 10, ten), Verdict::kTooFewRuns);
  const Comparison single = Compare(Of({1}), Of({2}));
  EXPECT_EQ(Judge(single, single.mann_whitney.p), Verdict::kTooFewRuns);
}

TEST(Comparison, EqualCountsAndZeroesAreNoDifference) {
  for (const double value : {0.0, 5.0}) {
    const Sample same = Of(std::vector<double>(10, value));
    const Comparison comparison = Compare(same, same);
    EXPECT_EQ(Judge(comparison, comparison.mann_whitney.p), Verdict::kNoDifferenceShown);
    EXPECT_EQ(comparison.ratio.has_value(), value > 0);
    EXPECT_EQ(comparison.median_ratio.has_value(), value > 0);
  }
  const Comparison from_zero =
      Compare(Of(std::vector<double>(10, 0)), Of({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Judge(from_zero, from_zero.mann_whitney.p), Verdict::kHigher);
}

}  // namespace
}  // namespace prof::analysis::statistics
