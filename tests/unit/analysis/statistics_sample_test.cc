// One sample: what is no sample, published tables, odd data, outliers, drift, bins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <tuple>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"
#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/statistics/drift.h"
#include "prof/analysis/statistics/histogram.h"
#include "prof/analysis/statistics/outliers.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::statistics {
namespace {

using test::Of;
using test::Random;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> UpTo(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Sample, RefusesNothingAndWhatIsNoNumberAndNamesTheRun) {
  EXPECT_THAT(Sample::Create({}).error().message, HasSubstr("no values"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite}) {
    const auto sample = Sample::Create({1, 2, bad});
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().kind, ErrorKind::kBadData);
    EXPECT_EQ(sample.error().message, "the value of run 3 is not a finite number");
  }
  EXPECT_THAT(Sample::Create({-1e200}).error().message, HasSubstr("run 1 is too large"));
}

TEST(Sample, QuantilesInterpolateAsType7) {
  const Sample sample = Of({4, 1, 3, 2});
  EXPECT_THAT(sample.values(), ElementsAre(4, 1, 3, 2));
  EXPECT_DOUBLE_EQ(sample.Quantile(0), 1);
  EXPECT_DOUBLE_EQ(sample.Quantile(0.25), 1.75);
  EXPECT_DOUBLE_EQ(sample.Median(), 2.5);
  EXPECT_DOUBLE_EQ(sample.Quantile(1), 4);
}

// Ranks and coverage as tabulated for the sign test, e.g. by Conover, "Practical Nonparametric
// Statistics", or Hahn and Meeker, "Statistical Intervals".
TEST(IntervalOfMedian, RanksAreThePublishedOnes) {
  const std::vector<std::tuple<std::size_t, std::size_t, double>> table = {
      {6, 1, 0.9688},   {7, 1, 0.9844},   {8, 1, 0.9922},   {9, 2, 0.9609},   {10, 2, 0.9785},
      {12, 3, 0.9614},  {15, 4, 0.9648},  {17, 5, 0.9510},  {20, 6, 0.9586},  {25, 8, 0.9567},
      {30, 10, 0.9572}, {40, 14, 0.9615}, {50, 18, 0.9672}, {100, 40, 0.9648}};
  for (const auto& [n, rank, coverage] : table) {
    const auto found = IntervalOfMedian(Of(UpTo(n)));
    ASSERT_TRUE(found) << n;
    EXPECT_EQ(found->low_rank, rank) << n;
    EXPECT_EQ(found->high_rank, n + 1 - rank) << n;
    EXPECT_NEAR(found->coverage, coverage, 5e-5) << n;
    EXPECT_EQ(found->interval, (Interval{double(rank), double(n + 1 - rank)}));
  }
}

TEST(IntervalOfMedian, TooFewRunsHaveNoneAndAreToldHowMany) {
  for (std::size_t n = 1; n < 6; ++n) EXPECT_FALSE(IntervalOfMedian(Of(UpTo(n))));
  EXPECT_EQ(RunsForMedianInterval(), 6U);
  EXPECT_EQ(RunsForMedianInterval(0.99), 8U);
  EXPECT_FALSE(IntervalOfMedian(Of(UpTo(7)), 0.99));
  EXPECT_TRUE(IntervalOfMedian(Of(UpTo(8)), 0.99));
}

TEST(StudentQuantile, IsThePublishedOne) {
  const std::vector<std::pair<double, double>> table = {
      {1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {9, 2.262},
      {10, 2.228}, {20, 2.086}, {29, 2.045}, {60, 2.000}, {120, 1.980}};
  for (const auto& [degrees, expected] : table) {
    EXPECT_NEAR(StudentQuantile(0.975, degrees), expected, 5e-4) << degrees;
    EXPECT_NEAR(StudentTwoSided(StudentQuantile(0.975, degrees), degrees), 0.05, 1e-12);
  }
}

// NIST Statistical Reference Datasets, univariate summary statistics: NumAcc1, 3 and 4.
TEST(Moments, KeepTheirDigitsInNistsHardData) {
  const Moments first = MomentsOf(std::vector<double>{10000001, 10000003, 10000002});
  EXPECT_EQ(first.mean, 10000002);
  EXPECT_EQ(first.variance, 1);
  for (const double base : {1000000.0, 10000000.0}) {
    std::vector<double> values = {base + 0.2};
    for (int i = 0; i < 500; ++i) {
      values.push_back(base + 0.1);
      values.push_back(base + 0.3);
    }
    const Moments moments = MomentsOf(values);
    EXPECT_NEAR(moments.mean, base + 0.2, 2e-9);
    EXPECT_NEAR(std::sqrt(moments.variance), 0.1, 1e-8 * (base / 1e6));
  }
}

TEST(Summary, OneRunHasNoSpread) {
  const Summary summary = Summarize(Of({3}));
  EXPECT_EQ(summary.n, 1U);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.mean, 3);
  EXPECT_FALSE(summary.deviation || summary.mean_interval || summary.variation || summary.trust ||
               summary.median_interval);
}

TEST(Summary, EqualRunsAreTrustworthyAndAMeanOfZeroHasNoVariation) {
  const Summary equal = Summarize(Of({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}));
  EXPECT_EQ(equal.deviation, 0);
  EXPECT_EQ(equal.variation, 0);
  EXPECT_EQ(equal.trust, Trust::kTrustworthy);
  EXPECT_EQ(equal.median_interval->interval, (Interval{0.1, 0.1}));
  EXPECT_EQ(Summarize(Of({0, 0, 0})).variation, 0);
  const Summary around_zero = Summarize(Of({-1, 1}));
  EXPECT_TRUE(around_zero.deviation);
  EXPECT_FALSE(around_zero.variation || around_zero.trust);
}

TEST(Summary, LargestValuesStayFinite) {
  const Summary summary = Summarize(Of({-1e150, 1e150, 1e150, -1e150, 1e150, 1e150}));
  EXPECT_TRUE(std::isfinite(summary.deviation.value()));
  EXPECT_TRUE(std::isfinite(summary.mean_interval->Width()));
}

TEST(Summary, VariationClassesMeetAtFiveAndTenPercent) {
  EXPECT_EQ(ClassifyVariation(0.0499), Trust::kTrustworthy);
  EXPECT_EQ(ClassifyVariation(0.05), Trust::kModerate);
  EXPECT_EQ(ClassifyVariation(0.10), Trust::kModerate);
  EXPECT_EQ(ClassifyVariation(0.1001), Trust::kInvestigate);
}

TEST(Outliers, AreNamedByTheirRun) {
  const auto outliers = FindOutliers(Of({10.1, 10.0, 9.9, 14.0, 10.2, 10.0, 9.8, 5.0}));
  ASSERT_EQ(outliers.size(), 2U);
  EXPECT_EQ(outliers[0].run, 3U);
  EXPECT_EQ(outliers[0].value, 14.0);
  EXPECT_NEAR(outliers[0].score, 4.0 / (1.482602218505602 * 0.15), 1e-9);
  EXPECT_EQ(outliers[1].run, 7U);
  EXPECT_LT(outliers[1].score, -kOutlierScore);
}

TEST(Outliers, EqualValuesHaveNoneAndOneAmongEqualOnesIsFound) {
  EXPECT_TRUE(FindOutliers(Of({5, 5, 5, 5, 5, 5, 5})).empty());
  const auto outliers = FindOutliers(Of({5, 5, 5, 9, 5, 5, 5, 5}));
  ASSERT_EQ(outliers.size(), 1U);
  EXPECT_EQ(outliers[0].run, 3U);
  EXPECT_TRUE(FindOutliers(Of({5, 5, 5, 5, 900})).empty()) << "too few runs to tell";
}

TEST(Outliers, CleanSamplesSeldomHaveOne) {
  Random random(3);
  int with_outlier = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> values(10);
    for (double& value : values) value = random.Normal();
    with_outlier += FindOutliers(Of(values)).empty() ? 0 : 1;
  }
  EXPECT_LT(with_outlier, 150);
}

TEST(Drift, RisingRunsAreFoundWithTheirSize) {
  Random random(4);
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(100 + 0.3 * i + random.Normal());
  const auto drift = FindDrift(Of(values));
  ASSERT_TRUE(drift);
  EXPECT_TRUE(drift->found);
  EXPECT_NEAR(drift->shift, 6, 1.5);  // the thirds are 20 runs apart
  EXPECT_NEAR(drift->relative.value(), 0.06, 0.015);
  EXPECT_GT(drift->trend.s, 0);
}

TEST(Drift, SteadyRunsHaveNoneButForOneInAHundred) {
  Random random(5);
  int found = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> values(trial % 2 == 0 ? 12 : 30);
    for (double& value : values) value = random.Normal();
    found += FindDrift(Of(values))->found ? 1 : 0;
  }
  EXPECT_LE(found, 20);  // binomial bound of 1 %
}

TEST(Drift, FewOrEqualRunsHaveNone) {
  EXPECT_FALSE(FindDrift(Of(UpTo(8))));
  const auto equal = FindDrift(Of(std::vector<double>(20, 7.0)));
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->p, 1);
  EXPECT_FALSE(equal->found);
  EXPECT_TRUE(FindDrift(Of(UpTo(9)))->found) << "nine rising runs: p of the trend is 2 / 9!";
}

TEST(Histogram, CountsEveryValueOnce) {
  Random random(6);
  std::vector<double> values(200);
  for (double& value : values) value = random.Normal();
  const Histogram histogram = HistogramOf(Of(values));
  EXPECT_EQ(histogram.edges.size(), histogram.counts.size() + 1);
  EXPECT_EQ(histogram.counts.size(), 12U);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0U), 200U);
  EXPECT_EQ(histogram.edges.front(), Of(values).min());
  EXPECT_EQ(histogram.edges.back(), Of(values).max());
}

TEST(Histogram, EdgesBelongToTheBinOnTheirRightTheLastToTheLast) {
  const Histogram histogram = HistogramOf(Of({0, 1, 1, 2, 3, 4}), 4);
  EXPECT_THAT(histogram.edges, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(histogram.counts, ElementsAre(1, 2, 1, 2));
}

TEST(Histogram, OddDataHasOneBin) {
  for (const Sample& sample : {Of({2}), Of({2, 2, 2}), Of({1, 1 + 0x1p-52})}) {
    EXPECT_THAT(HistogramOf(sample).counts, ElementsAre(sample.size()));
  }
  EXPECT_EQ(HistogramOf(Of({1, 2, 3}), 0).counts.size(), 1U);
}

}  // namespace
}  // namespace prof::analysis::statistics
