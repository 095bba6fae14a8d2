// Builds prefix trees of frames and brings them into preorder.
#include "analysis/stack_tree.h"

#include <ranges>

namespace prof::analysis {
namespace {

// Moves element i to place[i].
void Permute(std::vector<std::uint32_t>& values, std::span<const TreeIndex> place) {
  std::vector<std::uint32_t> moved(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) moved[place[i]] = values[i];
  values = std::move(moved);
}

}  // namespace

StackTreeBuilder::StackTreeBuilder(const Profile& profile, StackExpander& expander)
    : profile_(profile), expander_(expander) {}

TreeIndex StackTreeBuilder::NewNode(TreeIndex parent, FrameIndex frame) {
  tree_.parent_.push_back(parent);
  tree_.frame_.push_back(frame);
  return static_cast<TreeIndex>(tree_.frame_.size() - 1);
}

TreeIndex StackTreeBuilder::Root(std::uint32_t context) {
  auto& contexts = tree_.contexts_;
  if (contexts.empty() || contexts.back().context != context) {
    contexts.push_back({.root = NewNode(kNoIndex, kNoIndex), .context = context});
  }
  return contexts.back().root;
}

TreeIndex StackTreeBuilder::Add(std::uint32_t context, NodeIndex stack) {
  const TreeIndex root = Root(context);
  const auto nodes = profile_.nodes();
  if (place_of_node_.empty()) {
    place_of_node_.resize(nodes.size(), kNoIndex);
    // Enough for one context without inlined functions; what is not used stays untouched.
    tree_.parent_.reserve(nodes.size());
    tree_.frame_.reserve(nodes.size());
  }
  // Whatever is below the newest root in number belongs to an earlier context.
  const auto known = [&](NodeIndex node) {
    return place_of_node_[node] != kNoIndex && place_of_node_[node] > root;
  };
  NodeIndex node = stack;
  if (known(node)) return place_of_node_[node];
  path_.clear();
  do {
    path_.push_back(node);
    node = nodes[node].parent;
  } while (!model::IsRoot(node) && !known(node));
  TreeIndex place = model::IsRoot(node) ? root : place_of_node_[node];
  for (const NodeIndex below : path_ | std::views::reverse) {
    const FrameRange frames = expander_.FramesOf(below);
    for (std::uint32_t i = frames.count; i-- > 0;) place = NewNode(place, frames.first + i);
    place_of_node_[below] = place;
  }
  return place;
}

TreeIndex StackTreeBuilder::Add(std::uint32_t context, std::span<const FrameIndex> frames) {
  TreeIndex place = Root(context);
  for (const FrameIndex frame : frames | std::views::reverse) {
    const auto fresh = static_cast<TreeIndex>(tree_.frame_.size());
    const TreeIndex found =
        table_.FindOrInsert(MixHash(frame, place), fresh, [&](std::uint32_t index) {
          return tree_.parent_[index] == place && tree_.frame_[index] == frame;
        });
    if (found == fresh) NewNode(place, frame);
    place = found;
  }
  return place;
}

// Brings the nodes into preorder and returns where each has gone.
std::vector<TreeIndex> StackTreeBuilder::LayOut() {
  std::vector<TreeIndex>& parent = tree_.parent_;
  tree_.size_.assign(parent.size(), 1);
  for (std::size_t node = parent.size(); node-- > 0;) {
    if (parent[node] != kNoIndex) tree_.size_[parent[node]] += tree_.size_[node];
  }
  std::vector<TreeIndex> place(parent.size());
  std::vector<TreeIndex> next(parent.size());  // where the next child goes
  TreeIndex next_root = 0;
  for (std::size_t node = 0; node < parent.size(); ++node) {
    TreeIndex& here = parent[node] == kNoIndex ? next_root : next[parent[node]];
    place[node] = here;
    next[node] = here + 1;
    here += tree_.size_[node];
  }
  next = {};
  for (StackTree::Context& context : tree_.contexts_) context.root = place[context.root];
  for (TreeIndex& node : parent) node = node == kNoIndex ? kNoIndex : place[node];
  Permute(parent, place);
  Permute(tree_.size_, place);
  Permute(tree_.frame_, place);
  return place;
}

StackTree StackTreeBuilder::Finish(std::span<SampleGroup> groups) {
  place_of_node_ = {};
  table_ = {};
  tree_.parent_.shrink_to_fit();
  tree_.frame_.shrink_to_fit();
  std::vector<TreeIndex> place = LayOut();
  tree_.weight_.resize(place.size());
  tree_.samples_.resize(place.size());
  for (SampleGroup& group : groups) {
    group.stack = place[group.stack];
    tree_.weight_[group.stack] += group.weight;
    tree_.samples_[group.stack] += group.samples;
  }
  for (TreeIndex node = tree_.size(); node-- > 0;) {
    const TreeIndex parent = tree_.parent_[node];
    if (parent == kNoIndex) continue;
    tree_.weight_[parent] += tree_.weight_[node];
    tree_.samples_[parent] += tree_.samples_[node];
  }
  return std::move(tree_);
}

}  // namespace prof::analysis
