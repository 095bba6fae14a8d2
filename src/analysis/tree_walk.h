// Walks a stack tree with the rows that its nodes belong to.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/stack_tree.h"

namespace prof::analysis {

// A node of the tree when all below it are done.
struct OpenNode {
  TreeIndex node = 0;
  std::uint32_t row = 0;
  std::uint32_t above = kNoIndex;  // the place of the next node outwards of the same row
  std::uint64_t own_weight = 0;    // of samples that end in the node
  std::uint64_t own_samples = 0;
  std::uint64_t inner_weight = 0;  // below the next nodes inwards of the same row
  std::uint64_t inner_samples = 0;
};

// Calls `leave(OpenNode)` for every node that has a frame. `row_of(context, frame)` gives dense
// row numbers.
template <class RowOf, class Leave>
void WalkTree(const StackTree& stacks, RowOf row_of, Leave leave) {
  std::vector<OpenNode> open;
  std::vector<std::uint32_t> newest;  // by row: the place of its innermost open node
  const auto close = [&](TreeIndex next) {
    while (!open.empty() && next >= stacks.End(open.back().node)) {
      leave(open.back());
      newest[open.back().row] = open.back().above;
      open.pop_back();
    }
  };
  for (const StackTree::Context& context : stacks.contexts()) {
    for (TreeIndex node = context.root + 1; node < stacks.End(context.root); ++node) {
      close(node);
      const std::uint64_t weight = stacks.Weight(node);
      const std::uint64_t samples = stacks.Samples(node);
      const std::uint32_t row = row_of(context.context, stacks.Frame(node));
      if (row >= newest.size()) newest.resize(std::size_t{row} * 2 + 1, kNoIndex);
      const std::uint32_t above =
          std::exchange(newest[row], static_cast<std::uint32_t>(open.size()));
      if (!open.empty()) {
        open.back().own_weight -= weight;
        open.back().own_samples -= samples;
      }
      if (above != kNoIndex) {
        open[above].inner_weight += weight;
        open[above].inner_samples += samples;
      }
      open.push_back(
          {.node = node, .row = row, .above = above, .own_weight = weight, .own_samples = samples});
    }
    close(stacks.End(context.root));
  }
}

}  // namespace prof::analysis
