// Walks the tree of stacks from the outside in. A node counts for those of its keys that no node
// further out has.
#include "analysis/annotate/stack_presence.h"

namespace prof::analysis {
namespace {

class Walk {
 public:
  Walk(const Profile& profile, const ScopedSamples& samples, const FrameKeys& keys,
       std::uint32_t key_count)
      : profile_(profile),
        samples_(samples),
        keys_(keys),
        open_(key_count),
        result_(key_count, samples.Zero()) {}

  std::vector<Amounts> Run() {
    LinkChildren();
    for (NodeIndex root = 0; root < model::kStackRootCount; ++root) {
      if (samples_.Reaches(root)) Enter(root);
      if (samples_.Reaches(root)) Leave(root);
      WalkBelow(root);
    }
    return std::move(result_);
  }

 private:
  // Nodes that no sample in scope reaches stay out.
  void LinkChildren() {
    const auto nodes = profile_.nodes();
    first_child_.assign(nodes.size(), kNoIndex);
    next_.assign(nodes.size(), kNoIndex);
    for (auto node = static_cast<NodeIndex>(nodes.size()); node-- > model::kStackRootCount;) {
      if (!samples_.Reaches(node)) continue;
      next_[node] = first_child_[nodes[node].parent];
      first_child_[nodes[node].parent] = node;
    }
  }

  void WalkBelow(NodeIndex root) {
    NodeIndex node = first_child_[root];
    while (node != kNoIndex) {
      Enter(node);
      if (first_child_[node] != kNoIndex) {
        node = first_child_[node];
        continue;
      }
      while (node != root) {
        Leave(node);
        if (next_[node] != kNoIndex) break;
        node = profile_.nodes()[node].parent;
      }
      node = node == root ? kNoIndex : next_[node];
    }
  }

  void Enter(NodeIndex node) {
    for (const std::uint32_t key : keys_.Of(profile_.nodes()[node].frame)) {
      if (open_[key]++ == 0) samples_.AddThrough(node, result_[key]);
    }
  }
  void Leave(NodeIndex node) {
    for (const std::uint32_t key : keys_.Of(profile_.nodes()[node].frame)) --open_[key];
  }

  const Profile& profile_;
  const ScopedSamples& samples_;
  const FrameKeys& keys_;
  std::vector<std::uint32_t> open_;  // by key: nodes with it on the way to here
  std::vector<Amounts> result_;
  std::vector<NodeIndex> first_child_;
  std::vector<NodeIndex> next_;  // sibling
};

}  // namespace

std::vector<Amounts> CountOnStacks(const Profile& profile, const ScopedSamples& samples,
                                   const FrameKeys& keys, std::uint32_t key_count) {
  return Walk(profile, samples, keys, key_count).Run();
}

}  // namespace prof::analysis
