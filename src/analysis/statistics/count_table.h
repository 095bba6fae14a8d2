// Of each counted item what its test needs, in samples instead of amounts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prof/analysis/statistics/count_changes.h"

namespace prof::analysis::statistics {

// How many units there are, and what they tell of an item's own variance.
struct CountDesign {
  CountUnits units = CountUnits::kRuns;
  std::size_t before = 0;
  std::size_t after = 0;

  [[nodiscard]] double Degrees() const;
};

// Means are of a unit. Swapping the sides swaps `before` and `after` and changes no bit of the
// rest.
struct CountRow {
  double before = 0;
  double after = 0;
  double mean = 0;         // of all units of both sides
  double total = 0;        // samples in all units of both sides
  double disturbance = 0;  // from run to run, whatever the program does: a standard deviation
  double variance = 0;     // of a unit, as its units vary (kBlocks: half that of the differences)
};

// kBadData as TestCountChanges says. `items` is not empty.
[[nodiscard]] Result<CountDesign> CheckCounts(std::span<const ItemAmounts> items, CountUnits units);

// In the order of the items, which CheckCounts has passed.
[[nodiscard]] std::vector<CountRow> RowsOf(std::span<const ItemAmounts> items,
                                           const CountDesign& design);

}  // namespace prof::analysis::statistics
