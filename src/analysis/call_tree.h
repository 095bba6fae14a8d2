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

// Where a row's call graph begins in the stack of a group.
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
  std::vector<CallNode> Grow(std::span<const Chain> chains, CallGraphOrder order,
                             std::uint64_t min_weight);

 private:
  // A stack on its way through the tree.
  struct Walker {
    const FrameIndex* frame = nullptr;  // that comes next
    std::uint32_t group = 0;
    std::uint32_t left = 0;  // frames after it
  };
  struct Level {
    std::vector<CallNode> nodes;
    std::uint64_t pruned_weight = 0;
  };
  struct Branch {
    std::uint32_t key = 0;
    std::size_t size = 0;  // walkers
    std::uint64_t weight = 0;
    std::uint64_t samples = 0;
    bool kept = false;
    std::span<Walker> walkers;
  };
  [[nodiscard]] std::uint32_t KeyOf(const Walker& walker) const {
    return key_of_frame_[*walker.frame];
  }
  // Uses up the walkers: their places serve the levels below.
  Level GrowLevel(std::span<Walker> walkers);
  std::vector<Branch> Split(std::span<const Walker> walkers);
  // Moves the walkers of the kept branches together, each branch's in their old order.
  void Gather(std::span<Walker> walkers, std::vector<Branch>& branches);
  // Moves the walkers of a node one frame on and returns those that have one; the rest are its own.
  std::span<Walker> Advance(CallNode& node, std::span<Walker> walkers) const;
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
  std::vector<Walker> walkers_;
  std::vector<Walker> gathered_;  // scratch of Gather
};

}  // namespace prof::analysis
