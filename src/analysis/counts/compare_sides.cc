// Compares every quantity and says what the headline comes to.
#include "analysis/counts/compare_sides.h"

#include <cstddef>
#include <string>
#include <utility>

#include "analysis/counts/comparison_words.h"
#include "analysis/counts/trust.h"

#include "prof/analysis/statistics/multiplicity.h"

namespace prof::analysis::counts {
namespace {

using statistics::ComparisonOptions;
using statistics::Sample;

std::string SideName(const RunSet& runs, std::size_t side) {
  const std::string& text = runs.sides[side].text;
  return text.empty() ? "side " + std::to_string(side) : "'" + text + "'";
}

// Other quantities do not stand in for the headline.
bool HasHeadline(const SideComparison& side, const std::vector<Quantity>& quantities) {
  return !side.quantities.empty() && side.quantities.front().quantity == quantities.front();
}

// Appends `quantity` to all `sides` that have values of it.
void CompareQuantity(const RunSet& runs, const StatReportOptions& options, const Quantity& quantity,
                     std::vector<SideComparison>& sides) {
  const auto b = SampleOf(runs, 0, quantity, options.scale);
  std::vector<Sample> samples;
  std::vector<SideComparison*> usable;
  for (SideComparison& side : sides) {
    auto a = SampleOf(runs, side.a, quantity, options.scale);
    if (a.has_value() && b.has_value()) {
      samples.push_back(*std::move(a));
      usable.push_back(&side);
    } else {
      const std::string lacking = SideName(runs, a.has_value() ? side.b : side.a);
      side.unusable.push_back(quantity.name + ": no run of " + lacking + " has it");
    }
  }
  const ComparisonOptions how{.alpha = options.alpha, .comparisons = usable.size()};
  std::vector<double> p;
  for (std::size_t at = 0; at < usable.size(); ++at) {
    usable[at]->quantities.push_back(
        {.quantity = quantity, .comparison = statistics::Compare(samples[at], *b, how)});
    p.push_back(usable[at]->quantities.back().comparison.mann_whitney.p);
  }
  const std::vector<double> adjusted = statistics::AdjustHolm(p);
  for (std::size_t at = 0; at < usable.size(); ++at) {
    QuantityComparison& result = usable[at]->quantities.back();
    result.p = adjusted[at];
    result.verdict = statistics::Judge(result.comparison, result.p, how);
    LeaveSmallUnjudged(quantity, result.comparison.a);
    LeaveSmallUnjudged(quantity, result.comparison.b);
  }
}

}  // namespace

std::vector<SideComparison> CompareSides(const RunSet& runs, const StatReportOptions& options) {
  std::vector<SideComparison> sides;
  for (std::uint32_t a = 1; a < runs.sides.size(); ++a) sides.push_back({.a = a});
  if (sides.empty()) return sides;
  const std::vector<Quantity> quantities = QuantitiesOf(runs);
  for (const Quantity& quantity : quantities) CompareQuantity(runs, options, quantity, sides);
  std::size_t comparisons = 0;  // of the headline
  for (const SideComparison& side : sides) comparisons += HasHeadline(side, quantities) ? 1 : 0;
  for (SideComparison& side : sides) {
    if (HasHeadline(side, quantities)) {
      const QuantityComparison& headline = side.quantities.front();
      side.verdict = VerdictSentence(headline, comparisons);
      side.reasons = ReasonsFor(headline);
    } else {
      side.quantities.clear();
      side.verdict =
          "not compared: " + (side.unusable.empty() ? "there are no runs" : side.unusable.front());
    }
  }
  return sides;
}

}  // namespace prof::analysis::counts
