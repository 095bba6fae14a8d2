// Side against side: verdicts in words, gates, corrections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/counts/comparison_words.h"
#include "unit/analysis/counts/run_stream.h"
#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/counts/stat_report.h"
#include "prof/analysis/statistics/multiplicity.h"

namespace prof::analysis::counts {
namespace {

using statistics::Verdict;
using statistics::test::Random;
using test::RunStream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const Quantity kElapsed{.kind = QuantityKind::kElapsed, .name = "time elapsed"};

QuantityComparison WithRatio(Verdict verdict, double low, double estimate, double high, double p) {
  QuantityComparison result{.quantity = kElapsed, .p = p, .verdict = verdict};
  result.comparison.ratio = statistics::Shift{
      .estimate = estimate, .interval = statistics::Interval{.low = low, .high = high}};
  return result;
}

// Runs of B (side 0) and A in turns.
struct Turns {
  RunStream stream;
  explicit Turns(std::size_t sides = 2) {
    stream.Side("./new");
    for (std::size_t a = 1; a < sides; ++a) stream.Side("./old" + std::to_string(a));
  }
  void Add(const std::vector<double>& seconds) {
    for (std::uint32_t side = 0; side < seconds.size(); ++side) stream.Run(seconds[side], side);
  }
  [[nodiscard]] std::vector<SideComparison> Compare() const {
    return BuildStatReport(stream.runs(), {}).comparisons;
  }
};

TEST(VerdictSentence, SaysWhatTheIssueSays) {
  EXPECT_EQ(VerdictSentence(WithRatio(Verdict::kLower, 0.844, 0.858, 0.871, 0.0002), 1),
            "faster by 14.2 % (12.9 to 15.6, p = 0.0002)");
  EXPECT_EQ(VerdictSentence(WithRatio(Verdict::kHigher, 1.02, 1.031, 1.042, 0.00001), 1),
            "slower by 3.1 % (2.0 to 4.2, p < 0.0001)");
  QuantityComparison same{.quantity = kElapsed, .p = 0.4};
  same.comparison.smallest_change = 0.018;
  EXPECT_EQ(VerdictSentence(same, 1),
            "no difference shown (the smallest this could have shown: 1.8 %)");
  same.comparison.smallest_change.reset();
  EXPECT_EQ(VerdictSentence(same, 1), "no difference shown (p = 0.40)");
}

TEST(VerdictSentence, MetricsAreLowerOrHigherAndBetterOrWorse) {
  QuantityComparison result = WithRatio(Verdict::kHigher, 1.08, 1.1, 1.12, 0.003);
  result.quantity = {.kind = QuantityKind::kMetric, .name = "throughput", .higher_is_better = true};
  EXPECT_EQ(VerdictSentence(result, 1), "higher by 10.0 % (better; 8.0 to 12.0, p = 0.003)");
  result.quantity.higher_is_better = false;
  EXPECT_EQ(VerdictSentence(result, 1), "higher by 10.0 % (worse; 8.0 to 12.0, p = 0.003)");
  result = WithRatio(Verdict::kLower, 0.8, 0.9, 0.95, 0.02);
  result.quantity.kind = QuantityKind::kMetric;
  EXPECT_EQ(VerdictSentence(result, 1), "lower by 10.0 % (better; 5.0 to 20.0, p = 0.020)");
}

TEST(VerdictSentence, WithoutARatioItGivesTheShift) {
  QuantityComparison result{.quantity = kElapsed, .p = 0.01, .verdict = Verdict::kLower};
  result.quantity.unit = "seconds";
  result.comparison.shift = {.estimate = -0.5,
                             .interval = statistics::Interval{.low = -0.75, .high = -0.25}};
  EXPECT_EQ(VerdictSentence(result, 1), "faster by 0.5 seconds (0.25 to 0.75, p = 0.010)");
}

TEST(Comparisons, APlantedSpeedupIsFound) {
  Turns turns;
  for (int run = 0; run < 10; ++run) {
    const double a = 1 + 0.001 * run;
    turns.Add({0.858 * a, a});
  }
  const auto sides = turns.Compare();
  ASSERT_EQ(sides.size(), 1U);
  EXPECT_EQ(sides[0].a, 1U);
  EXPECT_EQ(sides[0].b, 0U);
  EXPECT_EQ(sides[0].quantities.front().verdict, Verdict::kLower);
  EXPECT_THAT(sides[0].verdict, StartsWith("faster by 14.2 % (13."));
  EXPECT_THAT(sides[0].verdict, HasSubstr(", p < 0.0001)"));
  EXPECT_THAT(sides[0].reasons, IsEmpty());
}

TEST(Comparisons, EqualSidesRaiseFewAlarms) {
  Random random(4);
  int alarms = 0;
  constexpr int kExperiments = 200;
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    Turns turns;
    for (int run = 0; run < 10; ++run) {
      turns.Add({1 + 0.01 * random.Normal(), 1 + 0.01 * random.Normal()});
    }
    const Verdict verdict = turns.Compare()[0].quantities.front().verdict;
    alarms += verdict == Verdict::kLower || verdict == Verdict::kHigher ? 1 : 0;
  }
  // The binomial bound of a 5 % test: P(X > 17) < 1 % for 200 experiments.
  EXPECT_LE(alarms, 17);
}

TEST(Comparisons, TooFewRunsSaysHowManyAreNeeded) {
  Turns turns;
  for (int run = 0; run < 3; ++run) turns.Add({1 + 0.01 * run, 2 + 0.01 * run});
  const auto sides = turns.Compare();
  EXPECT_EQ(sides[0].verdict,
            "too few runs: the smallest p that 3 against 3 runs can reach is 0.10; 4 of each are "
            "needed");
  EXPECT_THAT(sides[0].reasons, ElementsAre("-r 4, or -r auto, runs often enough"));
}

TEST(Comparisons, CorrectionForSeveralSidesTakesMoreRuns) {
  Turns turns(3);
  for (int run = 0; run < 4; ++run) turns.Add({1 + 0.01 * run, 2 + 0.01 * run, 3 + 0.01 * run});
  EXPECT_EQ(turns.Compare()[1].verdict,
            "too few runs: the smallest p that 4 against 4 runs can reach, corrected for 2 "
            "comparisons, is 0.06; 5 of each are needed");
}

TEST(Comparisons, NoisyRunsAreNamedWithTheirReasons) {
  Turns turns;
  for (int run = 0; run < 8; ++run) turns.Add({1 + 0.1 * (run * 5 % 8), 1 + 0.11 * (run * 3 % 8)});
  const auto sides = turns.Compare();
  EXPECT_EQ(sides[0].quantities.front().verdict, Verdict::kTooNoisy);
  EXPECT_THAT(sides[0].verdict,
              StartsWith("too noisy: the smallest change this could have shown "));
  ASSERT_EQ(sides[0].reasons.size(), 3U);
  EXPECT_THAT(sides[0].reasons[0], StartsWith("A: time elapsed varies by "));
  EXPECT_THAT(sides[0].reasons[1], StartsWith("B: time elapsed varies by "));
  EXPECT_THAT(sides[0].reasons[2], HasSubstr("-r auto"));
}

TEST(Comparisons, HolmCorrectsEachQuantityOverTheSides) {
  Random random(11);
  Turns turns(3);
  for (int run = 0; run < 12; ++run) {
    turns.Add({1 + 0.01 * random.Normal(), 1.012 + 0.01 * random.Normal(),
               1.006 + 0.01 * random.Normal()});
  }
  const auto sides = turns.Compare();
  ASSERT_EQ(sides.size(), 2U);
  const QuantityComparison& first = sides[0].quantities.front();
  const QuantityComparison& second = sides[1].quantities.front();
  const std::vector<double> raw = {first.comparison.mann_whitney.p,
                                   second.comparison.mann_whitney.p};
  const std::vector<double> holm = statistics::AdjustHolm(raw);
  EXPECT_EQ(first.p, holm[0]);
  EXPECT_EQ(second.p, holm[1]);
  EXPECT_GT(first.p, raw[0]);
}

TEST(Comparisons, TheMetricIsTheHeadline) {
  RunStream stream;
  stream.Append(model::MetricDef{.id = 0, .name = "ops", .higher_is_better = true});
  stream.Side("b");
  stream.Side("a");
  for (int run = 0; run < 20; ++run) {
    const auto side = static_cast<std::uint32_t>(run % 2);
    stream.Run(1, side, [&](model::RunDef& def) {
      def.metrics = {side == 0 ? 80.0 + 0.01 * run : 100.0 + 0.01 * run};
    });
  }
  const auto report = BuildStatReport(stream.runs(), {});
  const SideComparison& side = report.comparisons[0];
  EXPECT_EQ(side.quantities.front().quantity.name, "ops");
  EXPECT_THAT(side.verdict, StartsWith("lower by 20.0 % (worse; "));
  EXPECT_TRUE(IsWorseBy(side, 5));
  EXPECT_FALSE(IsWorseBy(side, 25));
}

TEST(Comparisons, TheGateTakesSizeAndSignificance) {
  EXPECT_TRUE(IsWorseBy({.quantities = {WithRatio(Verdict::kHigher, 1.04, 1.05, 1.06, 0.001)}}, 4));
  EXPECT_FALSE(
      IsWorseBy({.quantities = {WithRatio(Verdict::kHigher, 1.04, 1.05, 1.06, 0.001)}}, 6));
  EXPECT_FALSE(
      IsWorseBy({.quantities = {WithRatio(Verdict::kNoDifferenceShown, 0.9, 1.05, 1.2, 0.3)}}, 4));
  EXPECT_FALSE(IsWorseBy({.quantities = {WithRatio(Verdict::kLower, 0.4, 0.5, 0.6, 0.001)}}, 4));
  EXPECT_FALSE(IsWorseBy({}, 0));
}

TEST(Comparisons, ASideWithoutRunsIsNotCompared) {
  Turns turns(3);
  for (int run = 0; run < 5; ++run) turns.Add({1 + 0.01 * run, 2 + 0.01 * run});
  const auto sides = turns.Compare();
  EXPECT_THAT(sides[0].verdict, StartsWith("faster by "));
  EXPECT_EQ(sides[1].verdict, "not compared: time elapsed: no run of './old2' has it");
  EXPECT_THAT(sides[1].quantities, IsEmpty());
  EXPECT_EQ(Turns().Compare()[0].verdict, "not compared: there are no runs");
}

TEST(DriftSentence, SaysHowFarTheLastThirdIsFromTheFirst) {
  const statistics::Drift drift{.shift = 0.031, .relative = 0.031, .p = 0.002, .found = true};
  EXPECT_EQ(DriftSentence(kElapsed, drift),
            "time elapsed drifts: the last third of the runs is 3.1 % slower than the first "
            "(p = 0.002)");
  const Quantity faults{.kind = QuantityKind::kEvent, .name = "page-faults"};
  EXPECT_EQ(DriftSentence(faults, {.shift = -12, .p = 0.002}),
            "page-faults drifts: the last third of the runs is 12 lower than the first "
            "(p = 0.002)");
}

}  // namespace
}  // namespace prof::analysis::counts
