// The call tree of one event of one run, by functions that mean the same in every run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/aggregate.h"
#include "analysis/diff/key_table.h"
#include "analysis/diff/row_finder.h"
#include "analysis/stack_tree.h"

namespace prof::analysis::diff {

struct RunTree {
  struct Node {
    std::uint32_t parent = 0;  // 0 of the root itself
    FunctionId function = kNoIndex;
    bool inlined = false;
  };
  // Samples that end in a node.
  struct Leaf {
    std::uint32_t node = 0;
    RowId row = 0;
    std::uint32_t block = 0;  // of time
    std::uint64_t weight = 0;
    std::uint64_t samples = 0;
  };
  std::vector<Node> nodes;  // parents before their children; the first is the root
  std::vector<Leaf> leaves;
};

// `row_of_node` has the RowId of each node of `stacks`; the groups' stacks are nodes of it.
[[nodiscard]] RunTree MakeRunTree(const StackTree& stacks, std::span<const FrameInfo> frames,
                                  std::span<const SampleGroup> groups,
                                  std::span<const RowId> row_of_node, ProfileKeys& keys);

}  // namespace prof::analysis::diff
