// Splits the chains of a row by their next frame, again and again.
#include "analysis/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/index_table.h"

namespace prof::analysis {

CallTree::CallTree(const Profile& profile, const TableOptions& options,
                   const StackExpander& expander, const EventGroups& groups,
                   const ExpandedStacks& stacks)
    : options_(options),
      expander_(expander),
      groups_(groups),
      stacks_(stacks),
      names_(profile, options.names) {
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

std::vector<CallNode> CallTree::Grow(std::span<const Chain> chains, CallGraphOrder order,
                                     std::uint64_t min_weight) {
  order_ = order;
  min_weight_ = min_weight;
  walkers_.clear();
  for (const Chain& chain : chains) {
    const ExpandedStacks::Range& range = stacks_.stacks[stacks_.stack_of_group[chain.group]];
    walkers_.push_back(
        {.frame = &stacks_.frames[range.first + chain.at],
         .group = chain.group,
         .left = order == CallGraphOrder::kCaller ? chain.at : range.count - 1 - chain.at});
  }
  return GrowLevel(walkers_).nodes;
}

std::span<CallTree::Walker> CallTree::Advance(CallNode& node, std::span<Walker> walkers) const {
  const std::ptrdiff_t step = order_ == CallGraphOrder::kCaller ? -1 : 1;
  std::size_t kept = 0;
  for (const Walker& walker : walkers) {
    if (walker.left == 0) {
      node.own_weight += groups_.groups[walker.group].weight;
      node.own_samples += groups_.groups[walker.group].samples;
    } else {
      walkers[kept++] = {walker.frame + step, walker.group, walker.left - 1};
    }
  }
  return walkers.first(kept);
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
    branch.weight += groups_.groups[walker.group].weight;
    branch.samples += groups_.groups[walker.group].samples;
    total += groups_.groups[walker.group].weight;
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
    Level below = GrowLevel(Advance(node, branch.walkers));
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
