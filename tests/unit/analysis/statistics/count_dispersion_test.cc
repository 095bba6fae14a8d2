// What is estimated from all items together is what the items were drawn with.
#include "analysis/statistics/count_dispersion.h"

#include <gtest/gtest.h>

#include "analysis/statistics/count_correlation.h"
#include "analysis/statistics/count_runs_apart.h"
#include "unit/analysis/statistics/simulated_program.h"

namespace prof::analysis::statistics {
namespace {

using test::Random;
using test::Sides;
using test::SimulatedProgram;

Dispersion Fit(const Sides& sides) {
  const CountDesign design = *CheckCounts(sides.items(), CountUnits::kRuns);
  return FitDispersion(sides.items(), RowsOf(sides.items(), design), design);
}

TEST(Dispersion, VariationFromRunToRunIsFound) {
  Random random(41);
  for (const double variation : {0.02, 0.05, 0.2}) {
    const SimulatedProgram program{.functions = test::SomeFunctions(100, 1e5, variation)};
    const Sides sides(program, 6, program, 6, CountUnits::kRuns, random);
    const Dispersion found = Fit(sides);
    EXPECT_NEAR(found.variation, variation, 0.25 * variation);
    EXPECT_GT(found.prior_degrees, 10);
    // 100 items that vary by themselves: far more than one item's 10.
    EXPECT_GT(found.variation_degrees, 200);
  }
}

TEST(Dispersion, ChanceAloneIsNoVariation) {
  Random random(42);
  const SimulatedProgram program{.functions = test::SomeFunctions(100, 1e4, 0)};
  const Dispersion found = Fit(Sides(program, 6, program, 6, CountUnits::kRuns, random));
  EXPECT_LT(found.variation, 0.02);
  EXPECT_GT(found.prior_degrees, 10);
}

TEST(Dispersion, ItemsThatDifferLowerTheWeightOfTheExpectation) {
  Random random(43);
  SimulatedProgram program{.functions = test::SomeFunctions(60, 1e5, 0.02)};
  for (std::size_t i = 0; i < 60; i += 3) program.functions[i].variation = 0.3;
  const Dispersion found = Fit(Sides(program, 6, program, 6, CountUnits::kRuns, random));
  EXPECT_LT(found.prior_degrees, 6);
}

TEST(Dispersion, OneItemHasNoPriorToSpeakOf) {
  Random random(44);
  const SimulatedProgram program{.functions = {{.mean = 1000, .variation = 0.1}}};
  const Sides sides(program, 4, program, 4, CountUnits::kRuns, random);
  const Dispersion found = Fit(sides);
  EXPECT_LE(found.prior_degrees, 1);
  EXPECT_EQ(found.variation_degrees, 6);
}

TEST(Dispersion, AnItemThatVariesByFarMoreKeepsItsOwnVariance) {
  Random random(45);
  SimulatedProgram program{.functions = test::SomeFunctions(60, 1e5, 0.01)};
  const Sides sides(program, 5, program, 5, CountUnits::kRuns, random);
  const CountDesign design = *CheckCounts(sides.items(), CountUnits::kRuns);
  const std::vector<CountRow> rows = RowsOf(sides.items(), design);
  const Dispersion found = FitDispersion(sides.items(), rows, design);
  CountRow wild = rows[3];
  wild.variance *= 1000;
  const Spread spread = SpreadOfDifference(wild, design, found);
  EXPECT_NEAR(spread.variance / (wild.variance * 2 / 5), 1, 0.15);
  EXPECT_LT(spread.degrees, 9);
  const Spread tame = SpreadOfDifference(rows[3], design, found);
  EXPECT_GT(tame.degrees, 18);
}

TEST(FitVariation, AFewChangedItemsDoNotMoveIt) {
  Random random(46);
  std::vector<VariedSquare> squares;
  for (int i = 0; i < 60; ++i) {
    const double drawn = 0.1 * 500 * random.Normal() + 10 * random.Normal();
    squares.push_back({.square = drawn * drawn, .base = 100, .scale = 500 * 500});
  }
  const double before = FitVariation(squares, 1);
  EXPECT_NEAR(before, 0.1, 0.025);
  for (int i = 0; i < 3; ++i) squares[std::size_t(i)].square = 1e9;
  EXPECT_NEAR(FitVariation(squares, 1), before, 0.025);
}

TEST(FitVariation, HasNothingToFitWithoutSquaresOrScales) {
  EXPECT_EQ(FitVariation({}, 1), 0);
  const std::vector<VariedSquare> flat = {{.square = 9, .base = 1, .scale = 0}};
  EXPECT_EQ(FitVariation(flat, 1), 0);
  const std::vector<VariedSquare> nothing(3);
  EXPECT_EQ(FitVariation(nothing, 4), 0);
}

double Independent(double machine, double variation, std::uint64_t seed) {
  Random random(seed);
  const SimulatedProgram program{
      .functions = std::vector<test::SimulatedFunction>(40, {.mean = 1e6, .variation = variation}),
      .machine = machine};
  const Sides sides(program, 6, program, 6, CountUnits::kRuns, random);
  return IndependentItems(sides.items(), std::vector<double>(40, 1.0),
                          *CheckCounts(sides.items(), CountUnits::kRuns));
}

TEST(IndependentItems, OneCauseIsOneItem) {
  EXPECT_LT(Independent(0.1, 0.001, 47), 1.1);
  EXPECT_GT(Independent(0, 0.1, 48), 15);
  const double between = Independent(0.1, 0.1, 49);
  EXPECT_GT(between, 1.5);
  EXPECT_LT(between, 12);
}

TEST(RunsApart, TheSpreadOfAllItemsIsTakenForVariation) {
  Random random(50);
  const SimulatedProgram program{.functions = test::SomeFunctions(60, 1e5, 0.1)};
  const Sides sides(program, 1, program, 1, CountUnits::kBlocks, random);
  const CountDesign design = *CheckCounts(sides.items(), CountUnits::kBlocks);
  const std::vector<CountRow> rows = RowsOf(sides.items(), design);
  const Dispersion found = FitDispersion(sides.items(), rows, design);
  std::vector<Spread> spreads;
  for (const CountRow& row : rows) spreads.push_back(SpreadOfDifference(row, design, found));
  const std::vector<Spread> blocks = spreads;
  const RunsApart apart = WidenByRuns(rows, design, spreads);
  EXPECT_NEAR(apart.variation, 0.1, 0.04);
  EXPECT_GT(apart.widened, 1.5);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GT(spreads[i].variance, blocks[i].variance);
    EXPECT_LT(spreads[i].degrees, blocks[i].degrees);
    EXPECT_GE(spreads[i].degrees, 4);
  }
}

}  // namespace
}  // namespace prof::analysis::statistics
