#include "prof/analysis/statistics/count_changes.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/count_dispersion.h"
#include "analysis/statistics/count_permutation.h"
#include "analysis/statistics/count_runs_apart.h"
#include "analysis/statistics/count_table.h"
#include "analysis/statistics/distributions.h"
#include "analysis/statistics/student_table.h"

#include "prof/analysis/statistics/means.h"
#include "prof/analysis/statistics/multiplicity.h"
#include "prof/analysis/statistics/power.h"

namespace prof::analysis::statistics {
namespace {

constexpr double kPower = 0.8;
// The sum of so many samples is not normal yet.
constexpr double kFewSamples = 100;

bool PermutationsSuffice(const CountDesign& design, std::size_t items, double alpha) {
  return design.units == CountUnits::kRuns &&
         Combinations(design.before + design.after, design.before) <= kExactPermutations &&
         SmallestReachableP(design.before, design.after) <= alpha / static_cast<double>(items);
}

// What chance alone does to few samples: twice the tail of the side that has more than its share.
double ChanceP(const CountRow& row, const CountDesign& design) {
  if (row.total > kFewSamples || row.before == row.after) return 0;
  const bool after_has_more = row.after > row.before;
  const auto units = static_cast<double>(after_has_more ? design.after : design.before);
  const double samples = units * (after_has_more ? row.after : row.before);
  const double share = units / static_cast<double>(design.before + design.after);
  return std::min(1.0, 2 * BinomialUpper(static_cast<std::size_t>(std::llround(row.total)),
                                         static_cast<std::size_t>(std::llround(samples)), share));
}

std::vector<double> ModeratedPs(std::span<const CountRow> rows, const CountDesign& design,
                                std::span<const Spread> spreads) {
  std::vector<double> ps;
  ps.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double delta = rows[i].after - rows[i].before;
    if (delta == 0) {
      ps.push_back(1);
      continue;
    }
    const double t = delta / std::sqrt(spreads[i].variance);
    const double p =
        std::isinf(spreads[i].degrees) ? NormalTwoSided(t) : StudentTwoSided(t, spreads[i].degrees);
    ps.push_back(std::max(p, ChanceP(rows[i], design)));
  }
  return ps;
}

// The p that an item needed to be significant.
double PInForce(std::span<const double> adjusted, double alpha) {
  const auto significant =
      std::count_if(adjusted.begin(), adjusted.end(), [alpha](double p) { return p <= alpha; });
  return alpha * static_cast<double>(std::max<std::ptrdiff_t>(significant, 1)) /
         static_cast<double>(adjusted.size());
}

// Fills in all but the tests. `spreads` are of the difference of means of a unit.
class Describer {
 public:
  Describer(const CountDesign& design, const CountChangeOptions& options, double p_in_force)
      : design_(design),
        // kBlocks: sums of the blocks, not means.
        factor_(design.units == CountUnits::kBlocks ? static_cast<double>(design.before) : 1),
        two_sided_((1 + options.confidence) / 2),
        in_force_(1 - p_in_force / 2),
        power_(kPower) {}

  CountChange Describe(const ItemAmounts& item, const CountRow& row, const Spread& spread) {
    const double amount = item.quantum * factor_;
    CountChange change;
    change.before = row.before * amount;
    change.after = row.after * amount;
    change.delta = change.after - change.before;
    change.standard_error = std::sqrt(spread.variance) * amount;
    change.degrees = spread.degrees;
    const double half = two_sided_.Quantile(spread.degrees) * change.standard_error;
    change.interval = {change.delta - half, change.delta + half};
    // Of an item without samples: by chance alone, if there were one.
    const auto n_before = static_cast<double>(design_.before);
    const auto n_after = static_cast<double>(design_.after);
    const double error =
        row.total > 0 ? change.standard_error : amount * std::sqrt(1 / (n_before * n_after));
    change.detectable =
        error * (in_force_.Quantile(spread.degrees) + power_.Quantile(spread.degrees));
    return change;
  }

 private:
  CountDesign design_;
  double factor_;
  StudentTable two_sided_;
  StudentTable in_force_;
  StudentTable power_;
};

}  // namespace

Result<CountChanges> TestCountChanges(std::span<const ItemAmounts> items,
                                      const CountChangeOptions& options) {
  CountChanges changes;
  if (items.empty()) return changes;
  PROF_TRY_ASSIGN(const CountDesign design, CheckCounts(items, options.units));
  const std::vector<CountRow> rows = RowsOf(items, design);
  const Dispersion dispersion = FitDispersion(items, rows, design);
  changes.variation = dispersion.variation;
  changes.prior_degrees = dispersion.prior_degrees;
  std::vector<Spread> spreads;
  spreads.reserve(rows.size());
  for (const CountRow& row : rows) spreads.push_back(SpreadOfDifference(row, design, dispersion));
  if (design.units == CountUnits::kBlocks) {
    const RunsApart apart = WidenByRuns(rows, design, spreads);
    changes.variation = apart.variation;
    changes.widened = apart.widened;
  }
  if (PermutationsSuffice(design, items.size(), options.alpha)) {
    changes.test = CountTest::kPermutation;
  }
  const std::vector<double> ps = changes.test == CountTest::kPermutation
                                     ? PermutationPs(items)
                                     : ModeratedPs(rows, design, spreads);
  const std::vector<double> adjusted = AdjustBenjaminiHochberg(ps);
  Describer describer(design, options, PInForce(adjusted, options.alpha));
  changes.items.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    CountChange change = describer.Describe(items[i], rows[i], spreads[i]);
    change.p = ps[i];
    change.adjusted_p = adjusted[i];
    change.significant = adjusted[i] <= options.alpha;
    changes.items.push_back(change);
  }
  return changes;
}

}  // namespace prof::analysis::statistics
