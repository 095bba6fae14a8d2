// Merges call trees and tests what changed below each node.
#include "analysis/diff/merged_tree.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace prof::analysis::diff {

MergedTree MergeTrees(const EventUnits& units, const Matching& matching) {
  MergedTree merged;
  merged.nodes.emplace_back();
  IndexTable table;
  for (const EventRun& run : units.runs) {
    const RunTree& tree = run.event->tree;
    auto& place = merged.place.emplace_back(tree.nodes.size(), 0);
    for (std::uint32_t at = 1; at < tree.nodes.size(); ++at) {
      RunTree::Node node = tree.nodes[at];
      node.parent = place[node.parent];
      node.function = matching.Function(run.side, node.function);
      const auto fresh = static_cast<std::uint32_t>(merged.nodes.size());
      const std::uint64_t what = std::uint64_t{node.function} << 1 | (node.inlined ? 1 : 0);
      place[at] = table.FindOrInsert(MixHash(node.parent, what), fresh, [&](std::uint32_t known) {
        const RunTree::Node& other = merged.nodes[known];
        return other.parent == node.parent && other.function == node.function &&
               other.inlined == node.inlined;
      });
      if (place[at] == fresh) merged.nodes.push_back(node);
    }
  }
  return merged;
}

namespace {

class TreeComparer {
 public:
  TreeComparer(const EventUnits& units, const MergedTree& merged, const KeyTable& keys,
               KeyTexts& texts)
      : units_(units),
        merged_(merged),
        keys_(keys),
        texts_(texts),
        self_(merged.nodes.size()),
        total_(merged.nodes.size()) {}

  Result<DiffTree> Compare(double alpha) {
    AddUp();
    LayOut();
    Describe();
    PROF_TRY(TestNodes(alpha));
    return std::move(tree_);
  }

 private:
  // What is in and below each node of a run's tree, of one block of time or of all (kNoIndex).
  [[nodiscard]] static std::vector<Amount> Totals(const RunTree& tree, std::uint32_t block) {
    std::vector<Amount> totals(tree.nodes.size());
    for (const RunTree::Leaf& leaf : tree.leaves) {
      if (block == kNoIndex || leaf.block == block) {
        totals[leaf.node] += {leaf.weight, leaf.samples};
      }
    }
    for (std::size_t at = tree.nodes.size(); at-- > 1;) {
      totals[tree.nodes[at].parent] += totals[at];
    }
    return totals;
  }

  void AddUp() {
    for (std::size_t r = 0; r < units_.runs.size(); ++r) {
      const EventRun& run = units_.runs[r];
      const RunTree& tree = run.event->tree;
      std::vector<Amount> own(tree.nodes.size());
      for (const RunTree::Leaf& leaf : tree.leaves) {
        own[leaf.node] += {leaf.weight, leaf.samples};
      }
      const std::vector<Amount> totals = Totals(tree, kNoIndex);
      for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
        self_[merged_.place[r][at]].Add(run, own[at]);
        total_[merged_.place[r][at]].Add(run, totals[at]);
      }
    }
  }

  // Preorder, children by name.
  void LayOut() {
    const auto& nodes = merged_.nodes;
    std::vector<std::vector<std::uint32_t>> children(nodes.size());
    for (std::uint32_t at = 1; at < nodes.size(); ++at) children[nodes[at].parent].push_back(at);
    std::unordered_map<std::string, std::uint32_t> known;
    const auto name_of = [&](std::uint32_t at) {
      std::string name = at == 0 ? std::string() : texts_.Frame(nodes[at].function);
      const auto [found, fresh] =
          known.try_emplace(std::move(name), static_cast<std::uint32_t>(tree_.names.size()));
      if (fresh) tree_.names.push_back(found->first);
      return found->second;
    };
    std::vector<std::uint32_t> name(nodes.size());
    for (std::uint32_t at = 0; at < nodes.size(); ++at) name[at] = name_of(at);
    const auto key = [&](std::uint32_t at) {
      const FunctionKey& function = keys_.FunctionOf(nodes[at].function);
      return std::tuple(
          std::string_view(tree_.names[name[at]]), nodes[at].inlined, keys_.TextOf(function.module),
          function.name == kNoIndex ? std::string_view() : keys_.TextOf(function.name));
    };
    for (auto& below : children) std::ranges::sort(below, {}, key);
    place_.assign(nodes.size(), 0);
    std::vector<std::uint32_t> open = {0};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      place_[at] = static_cast<std::uint32_t>(tree_.nodes.size());
      tree_.nodes.push_back({.name = name[at], .parent = place_[nodes[at].parent]});
      open.insert(open.end(), children[at].rbegin(), children[at].rend());
    }
    for (std::size_t at = tree_.nodes.size(); at-- > 1;) {
      tree_.nodes[tree_.nodes[at].parent].size += tree_.nodes[at].size;
    }
  }

  void Describe() {
    for (std::uint32_t at = 0; at < merged_.nodes.size(); ++at) {
      DiffTree::Node& node = tree_.nodes[place_[at]];
      const RunTree::Node& source = merged_.nodes[at];
      if (at > 0) node.level = keys_.FunctionOf(source.function).kernel ? 'k' : '.';
      node.inlined = source.inlined;
      const Change self = self_[at].ToChange(units_);
      node.self_before = self.before;
      node.self_after = self.after;
      node.total = total_[at].ToChange(units_);
    }
  }

  // Items are in preorder, so that they do not depend on which run had a node first. The root is
  // not among them: it is the total.
  Status TestNodes(double alpha) {
    std::vector<std::uint32_t> node_at(tree_.nodes.size());
    for (std::uint32_t at = 0; at < place_.size(); ++at) node_at[place_[at]] = at;
    ItemMatrix matrix(units_);
    std::vector<std::uint32_t> item_of_node(tree_.nodes.size(), kNoIndex);
    for (std::size_t place = 1; place < node_at.size(); ++place) {
      const std::uint32_t at = node_at[place];
      if (!IsTestable(units_, total_[at])) continue;
      item_of_node[at] = static_cast<std::uint32_t>(matrix.size());
      (void)matrix.AddItem(total_[at]);
    }
    for (std::size_t r = 0; r < units_.runs.size(); ++r) {
      for (std::uint32_t block = 0; block < units_.PerRun(); ++block) {
        const std::vector<Amount> totals =
            Totals(units_.runs[r].event->tree, units_.blocks ? block : kNoIndex);
        for (std::size_t at = 0; at < totals.size(); ++at) {
          const std::uint32_t item = item_of_node[merged_.place[r][at]];
          if (item == kNoIndex) continue;
          matrix.Item(item)[r * units_.PerRun() + block] =
              units_.runs[r].AmountOf(totals[at].weight);
        }
      }
    }
    PROF_TRY_ASSIGN(const auto tested, matrix.Test(alpha));
    for (std::size_t at = 0; at < item_of_node.size(); ++at) {
      if (item_of_node[at] != kNoIndex) {
        tree_.nodes[place_[at]].total.test = tested.items[item_of_node[at]];
      }
    }
    return {};
  }

  const EventUnits& units_;
  const MergedTree& merged_;
  const KeyTable& keys_;
  KeyTexts& texts_;
  std::vector<ItemTotals> self_;  // by merged node
  std::vector<ItemTotals> total_;
  std::vector<std::uint32_t> place_;  // in the result
  DiffTree tree_;
};

}  // namespace

Result<DiffTree> CompareTrees(const EventUnits& units, const MergedTree& merged,
                              const KeyTable& keys, KeyTexts& texts, double alpha) {
  return TreeComparer(units, merged, keys, texts).Compare(alpha);
}

}  // namespace prof::analysis::diff
