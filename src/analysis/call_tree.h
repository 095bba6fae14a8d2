// The call graph of one row, grown from the stacks that contain the row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/aggregate.h"
#include "analysis/stack_expander.h"

namespace prof::analysis {

// The frames of the distinct stacks of an event, innermost first.
struct ExpandedStacks {
  struct Range {
    std::size_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<FrameIndex> frames;
  std::vector<Range> stacks;
  std::vector<std::uint32_t> stack_of_group;
};

// A stack on its way through the tree: `at` is the frame that comes next.
struct Chain {
  std::uint32_t group = 0;
  std::uint32_t at = 0;
};

// Grows level by level and follows only branches that are kept, so the work is bounded by what is
// shown.
class CallTree {
 public:
  CallTree(const Profile& profile, const TableOptions& options, const StackExpander& expander,
           const EventGroups& groups, const ExpandedStacks& stacks);

  // `order` says whether chains go from `at` towards the leaf (caller) or the root (callee).
  // `min_weight`: of kGraph, flat and folded; kFractal derives its own from min_percent.
  std::vector<CallNode> Grow(std::vector<Chain> chains, CallGraphOrder order,
                             std::uint64_t min_weight);

 private:
  struct Level {
    std::vector<CallNode> nodes;
    std::uint64_t pruned_weight = 0;
  };
  Level GrowLevel(std::vector<Chain> chains);
  // Moves the chains of a node one frame on; those that end are its own.
  void Advance(CallNode& node, std::vector<Chain>& chains) const;
  std::string NameOf(std::uint32_t key);

  const TableOptions& options_;
  const StackExpander& expander_;
  const EventGroups& groups_;
  const ExpandedStacks& stacks_;
  FunctionNames names_;
  CallGraphOrder order_ = CallGraphOrder::kCaller;
  std::uint64_t min_weight_ = 0;
  std::vector<std::uint32_t> key_of_frame_;  // frames of equal keys are one node
  std::vector<FrameIndex> frame_of_key_;
  std::vector<std::uint32_t> slot_of_key_;  // scratch of GrowLevel, kNoIndex outside of it
};

}  // namespace prof::analysis
