// Joins the nodes of a stack tree that are the same function below the same callers.
#include "analysis/diff/run_tree.h"

namespace prof::analysis::diff {

RunTree MakeRunTree(const StackTree& stacks, std::span<const FrameInfo> frames,
                    std::span<const SampleGroup> groups, std::span<const RowId> row_of_node,
                    ProfileKeys& keys) {
  RunTree tree;
  tree.nodes.emplace_back();
  IndexTable table;
  std::vector<std::uint32_t> place(stacks.size(), 0);
  // In preorder, so parents come first.
  for (TreeIndex index = 0; index < stacks.size(); ++index) {
    if (stacks.IsRoot(index)) continue;
    const CodeLocation& location = frames[stacks.Frame(index)].location;
    const RunTree::Node node{.parent = place[stacks.Parent(index)],
                             .function = keys.Function(location.function),
                             .inlined = location.inlined};
    const auto fresh = static_cast<std::uint32_t>(tree.nodes.size());
    const std::uint64_t what = std::uint64_t{node.function} << 1 | (node.inlined ? 1 : 0);
    place[index] = table.FindOrInsert(MixHash(node.parent, what), fresh, [&](std::uint32_t known) {
      const RunTree::Node& other = tree.nodes[known];
      return other.parent == node.parent && other.function == node.function &&
             other.inlined == node.inlined;
    });
    if (place[index] == fresh) tree.nodes.push_back(node);
  }
  tree.leaves.reserve(groups.size());
  for (const SampleGroup& group : groups) {
    tree.leaves.push_back({.node = place[group.stack],
                           .row = row_of_node[group.stack],
                           .block = group.block,
                           .weight = group.weight,
                           .samples = group.samples});
  }
  return tree;
}

}  // namespace prof::analysis::diff
