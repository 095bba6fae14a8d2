// Walking through all ways for many items at once counts what counting for one item counts.
#include "analysis/statistics/count_permutation.h"

#include <gtest/gtest.h>

#include "unit/analysis/statistics/simulated_program.h"

#include "prof/analysis/statistics/means.h"

namespace prof::analysis::statistics {
namespace {

using test::Random;
using test::Sides;
using test::SimulatedProgram;

TEST(PermutationPs, AreThoseOfOneItemAlone) {
  Random random(31);
  // More than a group of items, with ties among the small ones.
  const SimulatedProgram program{.functions = test::SomeFunctions(70, 2000, 0.1)};
  for (const auto& [before, after] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 2}, {2, 1}, {2, 2}, {1, 8}, {3, 4}, {5, 5}, {6, 3}, {7, 7}, {4, 9}}) {
    const Sides sides(program, before, program, after, CountUnits::kRuns, random);
    const std::vector<double> ps = PermutationPs(sides.items());
    ASSERT_EQ(ps.size(), 70U);
    for (std::size_t i = 0; i < ps.size(); ++i) {
      const ItemAmounts& item = sides.items()[i];
      const Permutation alone =
          TestMeansByPermutation(test::Of({item.before.begin(), item.before.end()}),
                                 test::Of({item.after.begin(), item.after.end()}));
      EXPECT_DOUBLE_EQ(ps[i], alone.p) << before << " against " << after << ", item " << i;
    }
  }
}

TEST(PermutationPs, RoundingMakesNoEqualSumASmallerOne) {
  // 0.1 + 0.2 is not 0.3, and all ways to deal equal runs out are equal.
  const std::vector<double> equal(6, 0.1);
  const std::vector<double> nearly = {0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3, 0.3};
  const std::vector<double> low = {1e-3, 2e-3, 3e-3, 1e-3, 2e-3, 3e-3};
  const std::vector<double> high = {1e3, 2e3, 3e3, 1e3, 2e3, 3e3};
  const std::vector<ItemAmounts> items = {
      {equal, equal}, {nearly, equal}, {nearly, nearly}, {low, high}};
  const std::vector<double> ps = PermutationPs(items);
  EXPECT_EQ(ps[0], 1);
  EXPECT_DOUBLE_EQ(ps[1], 2.0 / 924);
  EXPECT_EQ(ps[2], 1);
  EXPECT_DOUBLE_EQ(ps[3], 2.0 / 924);
}

}  // namespace
}  // namespace prof::analysis::statistics
