// Splits the samples of a row by their next frame, again and again.
#include "analysis/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/index_table.h"

namespace prof::analysis {

CallTree::CallTree(const Profile& profile, const TableOptions& options,
                   const StackExpander& expander, const StackTree& stacks)
    : options_(options), expander_(expander), stacks_(stacks), names_(profile, options.names) {
  IndexTable table;
  const std::vector<FrameInfo>& frames = expander.frames();
  for (FrameIndex frame = 0; frame < frames.size(); ++frame) {
    const CodeLocation& location = frames[frame].location;
    // An inlined copy of a function is another node than a call of it. By address, every frame is
    // one node: frames are dense by address and inline level.
    const std::uint64_t identity =
        options.call_graph.by_address
            ? frame
            : std::uint64_t{location.function} << 1 | (location.inlined ? 1 : 0);
    const auto fresh = static_cast<std::uint32_t>(frame_of_key_.size());
    const std::uint32_t key =
        table.FindOrInsert(MixHash(identity, 0), fresh, [&](std::uint32_t index) {
          const CodeLocation& other = frames[frame_of_key_[index]].location;
          return !options.call_graph.by_address && other.function == location.function &&
                 other.inlined == location.inlined;
        });
    if (key == fresh) frame_of_key_.push_back(frame);
    key_of_frame_.push_back(key);
  }
  slot_of_key_.assign(frame_of_key_.size(), kNoIndex);
}

std::string CallTree::NameOf(std::uint32_t key) {
  const FrameInfo& frame = expander_.frames()[frame_of_key_[key]];
  return options_.call_graph.by_address ? fmt::format("{:#x}", frame.address.value)
                                        : names_.Of(frame.location.function);
}

std::vector<CallNode> CallTree::Grow(RowChains chains, CallGraphOrder order,
                                     std::uint64_t min_weight) {
  order_ = order;
  min_weight_ = min_weight;
  std::vector<Walker> walkers = TopWalkers(chains);
  return GrowLevel(walkers).nodes;
}

std::vector<CallTree::Walker> CallTree::TopWalkers(RowChains& chains) {
  std::vector<Walker> walkers;
  if (order_ == CallGraphOrder::kCallee) {
    for (const RowChains::Leaf& leaf : chains.leaves) {
      walkers.push_back({.node = leaf.node, .weight = leaf.weight, .samples = leaf.samples});
    }
    return walkers;
  }
  std::ranges::sort(chains.leaves, {}, &RowChains::Leaf::node);
  RowChains::Leaf sum{.node = kNoIndex};
  for (RowChains::Leaf& leaf : chains.leaves) {
    sum.weight += std::exchange(leaf.weight, sum.weight);
    sum.samples += std::exchange(leaf.samples, sum.samples);
  }
  chains.leaves.push_back(sum);
  leaves_ = std::move(chains.leaves);
  const auto leaf_from = [&](TreeIndex node) {
    const auto found = std::ranges::lower_bound(leaves_, node, {}, &RowChains::Leaf::node);
    return static_cast<std::uint32_t>(found - leaves_.begin());
  };
  for (const StackTree::Context& context : stacks_.contexts()) {
    Descend(
        Enter(context.root, leaf_from(context.root), leaf_from(stacks_.End(context.root)), true),
        walkers);
  }
  for (const TreeIndex node : chains.subtrees) {
    const Walker walker = Enter(node, leaf_from(node), leaf_from(stacks_.End(node)), false);
    if (walker.weight > 0 || walker.samples > 0) walkers.push_back(walker);
  }
  return walkers;
}

CallTree::Walker CallTree::Enter(TreeIndex node, std::uint32_t first_leaf, std::uint32_t end_leaf,
                                 bool leaves_only) const {
  Walker walker{.node = node,
                .first_leaf = first_leaf,
                .end_leaf = end_leaf,
                .leaves_only = leaves_only,
                .weight = leaves_[end_leaf].weight - leaves_[first_leaf].weight,
                .samples = leaves_[end_leaf].samples - leaves_[first_leaf].samples};
  if (!leaves_only) {
    walker.weight = stacks_.Weight(node) - walker.weight;
    walker.samples = stacks_.Samples(node) - walker.samples;
  }
  return walker;
}

void CallTree::Descend(const Walker& walker, std::vector<Walker>& below) const {
  std::uint32_t leaf = walker.first_leaf;
  if (leaf < walker.end_leaf && leaves_[leaf].node == walker.node) ++leaf;
  const TreeIndex end = stacks_.End(walker.node);
  for (TreeIndex child = walker.node + 1; child < end; child = stacks_.End(child)) {
    if (walker.leaves_only && leaf == walker.end_leaf) return;
    const std::uint32_t first = leaf;
    while (leaf < walker.end_leaf && leaves_[leaf].node < stacks_.End(child)) ++leaf;
    const Walker entered = Enter(child, first, leaf, walker.leaves_only);
    if (entered.weight > 0 || entered.samples > 0) below.push_back(entered);
  }
}

std::span<CallTree::Walker> CallTree::Ascend(std::span<Walker> walkers) const {
  std::size_t kept = 0;
  for (const Walker& walker : walkers) {
    const TreeIndex parent = stacks_.Parent(walker.node);
    if (stacks_.IsRoot(parent)) continue;
    if (kept > 0 && walkers[kept - 1].node == parent) {
      walkers[kept - 1].weight += walker.weight;
      walkers[kept - 1].samples += walker.samples;
    } else {
      walkers[kept++] = {.node = parent, .weight = walker.weight, .samples = walker.samples};
    }
  }
  return walkers.first(kept);
}

// What does not go on belongs to the node itself.
CallTree::Level CallTree::GrowBelow(CallNode& node, std::span<Walker> walkers) {
  std::vector<Walker> below;
  if (order_ == CallGraphOrder::kCallee) {
    walkers = Ascend(walkers);
  } else {
    for (const Walker& walker : walkers) Descend(walker, below);
    walkers = below;
  }
  node.own_weight = node.weight;
  node.own_samples = node.samples;
  for (const Walker& walker : walkers) {
    node.own_weight -= walker.weight;
    node.own_samples -= walker.samples;
  }
  return GrowLevel(walkers);
}

std::vector<CallTree::Branch> CallTree::Split(std::span<const Walker> walkers) {
  std::vector<Branch> branches;
  std::uint64_t total = 0;
  for (const Walker& walker : walkers) {
    std::uint32_t& slot = slot_of_key_[KeyOf(walker)];
    if (slot == kNoIndex) {
      slot = static_cast<std::uint32_t>(branches.size());
      branches.push_back({.key = KeyOf(walker), .walkers = {}});
    }
    Branch& branch = branches[slot];
    ++branch.size;
    branch.weight += walker.weight;
    branch.samples += walker.samples;
    total += walker.weight;
  }
  // As in perf: fractal compares with all siblings together, rounded up.
  const auto least = options_.call_graph.style == CallGraphStyle::kFractal
                         ? static_cast<std::uint64_t>(std::ceil(
                               static_cast<double>(total) * options_.call_graph.min_percent / 100))
                         : min_weight_;
  for (Branch& branch : branches) branch.kept = branch.weight >= least;
  return branches;
}

void CallTree::Gather(std::span<Walker> walkers, std::vector<Branch>& branches) {
  std::vector<std::size_t> next;
  std::size_t used = 0;
  for (Branch& branch : branches) {
    next.push_back(used);
    if (!branch.kept) continue;
    branch.walkers = walkers.subspan(used, branch.size);
    used += branch.size;
  }
  if (branches.size() == 1) return;
  gathered_.resize(std::max(gathered_.size(), used));
  for (const Walker& walker : walkers) {
    const std::uint32_t slot = slot_of_key_[KeyOf(walker)];
    if (branches[slot].kept) gathered_[next[slot]++] = walker;
  }
  std::copy_n(gathered_.begin(), used, walkers.begin());
}

CallTree::Level CallTree::GrowLevel(std::span<Walker> walkers) {
  Level level;
  if (walkers.empty()) return level;
  std::vector<Branch> branches = Split(walkers);
  Gather(walkers, branches);
  for (const Branch& branch : branches) {
    slot_of_key_[branch.key] = kNoIndex;
    if (!branch.kept) level.pruned_weight += branch.weight;
  }
  for (const Branch& branch : branches) {
    if (!branch.kept) continue;
    CallNode& node = level.nodes.emplace_back();
    node.name = NameOf(branch.key);
    node.inlined = !options_.call_graph.by_address &&
                   expander_.frames()[frame_of_key_[branch.key]].location.inlined;
    node.weight = branch.weight;
    node.samples = branch.samples;
    Level below = GrowBelow(node, branch.walkers);
    node.children = std::move(below.nodes);
    node.pruned_weight = below.pruned_weight;
  }
  std::ranges::sort(level.nodes, [](const CallNode& a, const CallNode& b) {
    return a.weight != b.weight ? a.weight > b.weight
                                : std::tie(a.name, a.inlined) < std::tie(b.name, b.inlined);
  });
  return level;
}

}  // namespace prof::analysis
