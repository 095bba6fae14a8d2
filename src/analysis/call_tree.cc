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

std::vector<CallNode> CallTree::Grow(std::vector<Chain> chains, CallGraphOrder order,
                                     std::uint64_t min_weight) {
  order_ = order;
  min_weight_ = min_weight;
  return GrowLevel(std::move(chains)).nodes;
}

void CallTree::Advance(CallNode& node, std::vector<Chain>& chains) const {
  std::size_t kept = 0;
  for (const Chain chain : chains) {
    const std::uint32_t last = order_ == CallGraphOrder::kCaller
                                   ? 0
                                   : stacks_.stacks[stacks_.stack_of_group[chain.group]].count - 1;
    if (chain.at == last) {
      node.own_weight += groups_.groups[chain.group].weight;
      node.own_samples += groups_.groups[chain.group].samples;
    } else {
      const bool inwards = order_ == CallGraphOrder::kCaller;
      chains[kept++] = {chain.group, inwards ? chain.at - 1 : chain.at + 1};
    }
  }
  chains.resize(kept);
}

CallTree::Level CallTree::GrowLevel(std::vector<Chain> chains) {
  struct Branch {
    std::uint32_t key = 0;
    CallNode node;
    std::vector<Chain> chains;
  };
  const auto key_of = [&](const Chain& chain) {
    const auto& range = stacks_.stacks[stacks_.stack_of_group[chain.group]];
    return key_of_frame_[stacks_.frames[range.first + chain.at]];
  };
  std::vector<Branch> branches;
  std::uint64_t total = 0;
  for (const Chain& chain : chains) {
    std::uint32_t& slot = slot_of_key_[key_of(chain)];
    if (slot == kNoIndex) {
      slot = static_cast<std::uint32_t>(branches.size());
      branches.push_back({.key = key_of(chain), .node = {}, .chains = {}});
    }
    branches[slot].node.weight += groups_.groups[chain.group].weight;
    branches[slot].node.samples += groups_.groups[chain.group].samples;
    total += groups_.groups[chain.group].weight;
  }
  // As in perf: fractal compares with all siblings together, rounded up.
  const auto least = options_.call_graph.style == CallGraphStyle::kFractal
                         ? static_cast<std::uint64_t>(std::ceil(
                               static_cast<double>(total) * options_.call_graph.min_percent / 100))
                         : min_weight_;
  for (const Chain& chain : chains) {
    Branch& branch = branches[slot_of_key_[key_of(chain)]];
    if (branch.node.weight >= least) branch.chains.push_back(chain);
  }
  chains = {};
  Level level;
  for (Branch& branch : branches) {
    slot_of_key_[branch.key] = kNoIndex;
    if (branch.node.weight < least) level.pruned_weight += branch.node.weight;
  }
  for (Branch& branch : branches) {
    if (branch.node.weight < least) continue;
    branch.node.name = NameOf(branch.key);
    branch.node.inlined = !options_.call_graph.by_address &&
                          expander_.frames()[frame_of_key_[branch.key]].location.inlined;
    Advance(branch.node, branch.chains);
    Level below = GrowLevel(std::move(branch.chains));
    branch.node.children = std::move(below.nodes);
    branch.node.pruned_weight = below.pruned_weight;
    level.nodes.push_back(std::move(branch.node));
  }
  std::ranges::sort(level.nodes, [](const CallNode& a, const CallNode& b) {
    return a.weight != b.weight ? a.weight > b.weight
                                : std::tie(a.name, a.inlined) < std::tie(b.name, b.inlined);
  });
  return level;
}

}  // namespace prof::analysis
