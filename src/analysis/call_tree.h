// The call graph of one row, grown from the stacks that contain the row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/stack_expander.h"
#include "analysis/stack_tree.h"

namespace prof::analysis {

// What of the stack tree belongs to the call graph of a row.
struct RowChains {
  // Samples of one node of the tree, counted or not together with some below it.
  struct Leaf {
    TreeIndex node = 0;
    std::uint64_t weight = 0;
    std::uint64_t samples = 0;
  };
  // With order callee: where chains to the root begin. With order caller: the row's own samples,
  // by node; their chains are whole stacks.
  std::vector<Leaf> leaves;
  // Order caller: the subtrees that the row is outermost in, without `leaves`.
  std::vector<TreeIndex> subtrees;
};

// Grows level by level and follows only branches that are kept, so the work is bounded by what is
// shown.
class CallTree {
 public:
  CallTree(const Profile& profile, const TableOptions& options, const StackExpander& expander,
           const StackTree& stacks);

  // `order` says whether chains go towards the leaf (caller) or the root (callee).
  // `min_weight`: of kGraph, flat and folded; kFractal derives its own from min_percent.
  std::vector<CallNode> Grow(RowChains chains, CallGraphOrder order, std::uint64_t min_weight);

 private:
  // Samples on their way: all that go through a node of the stack tree together.
  struct Walker {
    TreeIndex node = 0;
    // Order caller: which of the row's leaves are in the subtree of the node.
    std::uint32_t first_leaf = 0;
    std::uint32_t end_leaf = 0;
    bool leaves_only = false;  // these are what is counted, else the others
    std::uint64_t weight = 0;
    std::uint64_t samples = 0;
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
    return key_of_frame_[stacks_.Frame(walker.node)];
  }
  // Uses up the walkers: with order callee their places serve the levels below.
  Level GrowLevel(std::span<Walker> walkers);
  std::vector<Branch> Split(std::span<const Walker> walkers);
  // Moves the walkers of the kept branches together, each branch's in their old order.
  void Gather(std::span<Walker> walkers, std::vector<Branch>& branches);
  Level GrowBelow(CallNode& node, std::span<Walker> walkers);
  std::vector<Walker> TopWalkers(RowChains& chains);
  // Moves walkers one frame up, in their places, and joins those that meet.
  std::span<Walker> Ascend(std::span<Walker> walkers) const;
  // Adds the walkers of the children of a walker's node.
  void Descend(const Walker& walker, std::vector<Walker>& below) const;
  [[nodiscard]] Walker Enter(TreeIndex node, std::uint32_t first_leaf, std::uint32_t end_leaf,
                             bool leaves_only) const;
  std::string NameOf(std::uint32_t key);

  const TableOptions& options_;
  const StackExpander& expander_;
  const StackTree& stacks_;
  FunctionNames names_;
  CallGraphOrder order_ = CallGraphOrder::kCaller;
  std::uint64_t min_weight_ = 0;
  std::vector<std::uint32_t> key_of_frame_;  // frames of equal keys are one node
  std::vector<FrameIndex> frame_of_key_;
  std::vector<std::uint32_t> slot_of_key_;  // scratch of GrowLevel, kNoIndex outside of it
  std::vector<RowChains::Leaf> leaves_;     // of the row; the numbers are sums of those before it
  std::vector<Walker> gathered_;            // scratch of Gather
};

}  // namespace prof::analysis
