// Amounts by unit, handed to the test of count changes.
#include "analysis/diff/event_runs.h"

namespace prof::analysis::diff {

Change ItemTotals::ToChange(const EventUnits& units) const {
  return {.before = amount[0] / static_cast<double>(units.before_runs),
          .after = amount[1] / static_cast<double>(units.after_runs()),
          .before_samples = samples[0],
          .after_samples = samples[1]};
}

namespace {

// What a sample stands for, in AmountUnit: the mean of both sides' means, as either side's noise
// goes by its own. A side without samples does not count.
double QuantumOf(const ItemTotals& totals) {
  double sum = 0;
  double sides = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (totals.samples[side] == 0 || !(totals.amount[side] > 0)) continue;
    sum += totals.amount[side] / static_cast<double>(totals.samples[side]);
    ++sides;
  }
  return sides == 0 ? 0 : sum / sides;
}

}  // namespace

bool IsTestable(const EventUnits& units, const ItemTotals& totals) {
  return units.testable && totals.Samples() >= kFewestSamples && QuantumOf(totals) > 0;
}

std::span<double> ItemMatrix::AddItem(const ItemTotals& totals) {
  quanta_.push_back(QuantumOf(totals));
  amounts_.resize(amounts_.size() + units_->Units());
  return Item(quanta_.size() - 1);
}

Result<ItemMatrix::Tested> ItemMatrix::Test(double alpha) const {
  const std::size_t before = units_->before_runs * units_->PerRun();
  const std::span<const double> amounts(amounts_);
  std::vector<statistics::ItemAmounts> items;
  items.reserve(quanta_.size());
  for (std::size_t item = 0; item < quanta_.size(); ++item) {
    const auto all = amounts.subspan(item * units_->Units(), units_->Units());
    items.push_back(
        {.before = all.first(before), .after = all.subspan(before), .quantum = quanta_[item]});
  }
  Tested tested{.units = units_->blocks ? statistics::CountUnits::kBlocks
                                        : statistics::CountUnits::kRuns};
  if (items.empty()) return tested;
  PROF_TRY_ASSIGN(const statistics::CountChanges changes,
                  statistics::TestCountChanges(items, {.units = tested.units, .alpha = alpha}));
  tested.test = changes.test;
  tested.variation = changes.variation;
  tested.widened = changes.widened;
  for (const statistics::CountChange& change : changes.items) {
    tested.items.push_back({.interval = change.interval,
                            .p = change.p,
                            .adjusted_p = change.adjusted_p,
                            .significant = change.significant,
                            .detectable = change.detectable});
  }
  return tested;
}

}  // namespace prof::analysis::diff
