// Every statistic against the values of scipy, or of counting every case in fractions:
// tests/data/statistics/reference.txt, made by reference.py beside it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/statistics/drift.h"
#include "prof/analysis/statistics/mann_whitney.h"
#include "prof/analysis/statistics/means.h"
#include "prof/analysis/statistics/shift.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::statistics {
namespace {

using test::Of;

struct Case {
  std::string name;
  std::map<std::string, std::vector<double>> lines;
};

std::vector<Case> ReadCases(const std::string& key) {
  std::ifstream file(PROF_TEST_DATA "/statistics/reference.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "case") {
      cases.push_back({.name = line.substr(5)});
    } else {
      std::vector<double>& values = cases.back().lines[first];
      for (double value = 0; words >> value;) values.push_back(value);
    }
  }
  std::erase_if(cases, [&key](const Case& one) { return !one.lines.contains(key); });
  return cases;
}

// Equal but for the rounding of other orders of adding up.
void ExpectSame(double actual, double expected, double relative = 1e-9) {
  EXPECT_NEAR(actual, expected, relative * std::abs(expected) + 1e-13);
}

class TwoSampleReference : public ::testing::Test {
 protected:
  template <class Check>
  static void ForEach(const std::string& key, std::size_t at_least, const Check& check) {
    const std::vector<Case> cases = ReadCases(key);
    EXPECT_GE(cases.size(), at_least);
    for (const Case& one : cases) {
      SCOPED_TRACE(one.name);
      check(Of(one.lines.at("a")), Of(one.lines.at("b")), one.lines.at(key));
    }
  }

  static void CheckP(const std::string& key, std::size_t at_least, PMethod method) {
    ForEach(key, at_least, [method](const Sample& a, const Sample& b, const auto& expected) {
      const MannWhitney forth = TestMannWhitney(a, b);
      EXPECT_EQ(forth.method, method);
      ExpectSame(forth.p, expected.at(0));
      const MannWhitney back = TestMannWhitney(b, a);
      ExpectSame(back.p, expected.at(0));
      EXPECT_DOUBLE_EQ(back.cliffs_delta, -forth.cliffs_delta);
    });
  }
};

TEST_F(TwoSampleReference, UIsThePairsWithTheSecondValueAbove) {
  ForEach("u", 11, [](const Sample& a, const Sample& b, const auto& expected) {
    EXPECT_EQ(TestMannWhitney(a, b).u, expected.at(0));
  });
}

TEST_F(TwoSampleReference, ExactPOfMannWhitney) { CheckP("exact_p", 5, PMethod::kExact); }

TEST_F(TwoSampleReference, ExactPGivenTies) { CheckP("tied_p", 3, PMethod::kExactTies); }

TEST_F(TwoSampleReference, NormalPWithTieAndContinuityCorrection) {
  CheckP("normal_p", 2, PMethod::kNormal);
}

TEST_F(TwoSampleReference, WelchTest) {
  ForEach("welch", 11, [](const Sample& a, const Sample& b, const auto& expected) {
    const auto welch = TestWelch(a, b);
    ASSERT_TRUE(welch);
    ExpectSame(welch->t, expected.at(0));
    ExpectSame(welch->degrees, expected.at(1));
    ExpectSame(welch->p, expected.at(2));
    // scipy 1.10's quantile of t is off by up to 2e-9, much of a bound near 0.
    EXPECT_NEAR(welch->interval.low, expected.at(3), 1e-8);
    EXPECT_NEAR(welch->interval.high, expected.at(4), 1e-8);
  });
}

TEST_F(TwoSampleReference, CohensDAndHedgesG) {
  ForEach("effect", 11, [](const Sample& a, const Sample& b, const auto& expected) {
    const auto effect = EffectSizeOf(a, b);
    ASSERT_TRUE(effect);
    ExpectSame(effect->cohens_d, expected.at(0));
    ExpectSame(effect->hedges_g, expected.at(1));
  });
}

TEST_F(TwoSampleReference, PermutationTestOfMeansCountsEveryDeal) {
  ForEach("permutation_p", 7, [](const Sample& a, const Sample& b, const auto& expected) {
    const Permutation result = TestMeansByPermutation(a, b);
    EXPECT_EQ(result.method, PMethod::kExact);
    ExpectSame(result.p, expected.at(0));
    ExpectSame(TestMeansByPermutation(b, a).p, expected.at(0));
  });
}

TEST_F(TwoSampleReference, HodgesLehmannShiftAndItsInterval) {
  std::size_t intervals = 0;
  const std::vector<Case> cases = ReadCases("shift");
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Shift shift = ShiftOf(Of(one.lines.at("a")), Of(one.lines.at("b")));
    ExpectSame(shift.estimate, one.lines.at("shift").at(0));
    ASSERT_EQ(shift.interval.has_value(), one.lines.contains("shift_interval"));
    if (!shift.interval) continue;
    ++intervals;
    const std::vector<double>& expected = one.lines.at("shift_interval");
    EXPECT_DOUBLE_EQ(shift.interval->low, expected.at(0));
    EXPECT_DOUBLE_EQ(shift.interval->high, expected.at(1));
    ExpectSame(shift.coverage, expected.at(2));
  }
  EXPECT_EQ(cases.size(), 9U);
  EXPECT_EQ(intervals, 8U);
}

TEST(OneSampleReference, SummaryAndIntervals) {
  const std::vector<Case> cases = ReadCases("moments");
  EXPECT_EQ(cases.size(), 5U);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Summary summary = Summarize(Of(one.lines.at("values")));
    const std::vector<double>& moments = one.lines.at("moments");
    ExpectSame(summary.median, moments.at(0));
    ExpectSame(summary.mean, moments.at(1));
    ExpectSame(summary.deviation.value(), moments.at(2));
    // scipy 1.10's quantile of t is off by 2e-9: its own tail there is 0.0250000004 for n = 40.
    ExpectSame(summary.mean_interval.value().low, moments.at(3), 1e-8);
    ExpectSame(summary.mean_interval.value().high, moments.at(4), 1e-8);
    ExpectSame(summary.variation.value(), std::abs(moments.at(5)));
    const std::vector<double>& median = one.lines.at("median_interval");
    ASSERT_TRUE(summary.median_interval);
    EXPECT_EQ(summary.median_interval->interval, (Interval{median.at(0), median.at(1)}));
    ExpectSame(summary.median_interval->coverage, median.at(2));
  }
}

TEST(OneSampleReference, TrendOverTheRuns) {
  for (const Case& one : ReadCases("trend")) {
    SCOPED_TRACE(one.name);
    const Trend trend = FindTrend(Of(one.lines.at("values")));
    const std::vector<double>& expected = one.lines.at("trend");
    EXPECT_EQ(static_cast<double>(trend.s), expected.at(0));
    ExpectSame(trend.tau, expected.at(1));
    ExpectSame(trend.p, expected.at(2));
  }
}

// The t interval covers 95 % of normal values alone, of skewed ones less: how much is simulated by
// numpy with other random numbers.
TEST(OneSampleReference, MeanIntervalsCoverAsOftenAsTheyCan) {
  test::Random random(22);
  const std::vector<Case> cases = ReadCases("t_coverage_10");
  ASSERT_EQ(cases.size(), 2U);
  for (const test::Shape& shape : test::Shapes(0.5)) {
    for (const std::size_t n : {10, 30}) {
      double expected = 0.95;
      for (const Case& one : cases) {
        if (one.name != std::string("t coverage ") + shape.name) continue;
        expected = one.lines.at("t_coverage_" + std::to_string(n)).at(0);
      }
      int covered = 0;
      for (int i = 0; i < 1000; ++i) {
        const Summary summary = Summarize(Of(test::Draw(shape, n, random)));
        covered += summary.mean_interval->Contains(shape.mean) ? 1 : 0;
      }
      EXPECT_TRUE(test::WithinBinomial(covered, 1000, expected)) << shape.name << n << covered;
    }
  }
}

}  // namespace
}  // namespace prof::analysis::statistics
