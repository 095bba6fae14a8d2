// The rows of both sides together, their changes tested.
#pragma once

#include <vector>

#include "analysis/diff/event_runs.h"
#include "analysis/diff/key_texts.h"
#include "analysis/diff/matching.h"

namespace prof::analysis::diff {

// Fills rows, scarce rows and what the rows were tested by. Returns the key of each row, in the
// order of `diff.rows`.
[[nodiscard]] Result<std::vector<RowId>> CompareRows(const EventUnits& units,
                                                     const DiffOptions& options,
                                                     const KeyTable& keys, Matching& matching,
                                                     KeyTexts& texts, EventDiff& diff);

}  // namespace prof::analysis::diff
