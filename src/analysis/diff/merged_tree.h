// The call trees of all runs as one.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diff/event_runs.h"
#include "analysis/diff/key_texts.h"
#include "analysis/diff/matching.h"
#include "analysis/diff/run_tree.h"

namespace prof::analysis::diff {

struct MergedTree {
  std::vector<RunTree::Node> nodes;  // parents before their children; functions as after has them
  // By run and node of its own tree: the node here.
  std::vector<std::vector<std::uint32_t>> place;
};

[[nodiscard]] MergedTree MergeTrees(const EventUnits& units, const Matching& matching);

// Both sides' amounts of every node, their changes tested.
[[nodiscard]] Result<DiffTree> CompareTrees(const EventUnits& units, const MergedTree& merged,
                                            const KeyTable& keys, KeyTexts& texts, double alpha);

// The callers of the rows that `wanted` says; the keys of all rows of `diff` are `ids`.
[[nodiscard]] std::vector<std::vector<CallerChange>> CompareCallers(
    const EventUnits& units, const MergedTree& merged, const std::vector<RowId>& ids,
    const EventDiff& diff, const KeyTable& keys, Matching& matching, KeyTexts& texts);

}  // namespace prof::analysis::diff
