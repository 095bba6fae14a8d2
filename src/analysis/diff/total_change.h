// What the totals of repeated runs prove.
#pragma once

#include "analysis/diff/event_runs.h"

namespace prof::analysis::diff {

// Fills `before`, `after` and `total` of the diff.
[[nodiscard]] Status CompareTotals(const EventUnits& units, double alpha, EventDiff& diff);

}  // namespace prof::analysis::diff
