// Builds the tables of a report: put the stacks into one tree, add up rows along it, then grow call
// graphs out of it.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/aggregate.h"
#include "analysis/call_tree.h"
#include "analysis/row_table.h"
#include "analysis/sample_filter.h"
#include "analysis/stack_expander.h"
#include "analysis/stack_tree.h"

#include "prof/analysis/report_table.h"

namespace prof::analysis {
namespace {

class TableBuilder {
 public:
  TableBuilder(const Profile& profile, const TableOptions& options, model::EventId event,
               StackExpander expander, EventGroups groups)
      : profile_(profile),
        options_(options),
        expander_(std::move(expander)),
        groups_(std::move(groups)),
        rows_(profile, options, expander_, groups_.contexts) {
    table_.event = event;
    table_.children = options.children && groups_.walked;
    table_.order = options.call_graph.order.value_or(table_.children ? CallGraphOrder::kCaller
                                                                     : CallGraphOrder::kCallee);
  }

  EventTable Build() {
    const bool graphs = groups_.walked && options_.call_graph.style != CallGraphStyle::kNone;
    if (table_.children || graphs) {
      PlantStacks();
      AddUpTree();
    } else {
      AddUpLeaves();
    }
    SetTotals();
    PickRows();
    if (graphs) GrowCallGraphs();
    Finish();
    return std::move(table_);
  }

 private:
  // A node of the tree on the way to the one being looked at.
  struct Open {
    TreeIndex node = 0;
    RowIndex row = 0;
    std::uint32_t above = kNoIndex;  // the place of the next node outwards of the same row
    std::uint64_t own_weight = 0;    // of samples that end in the node
    std::uint64_t own_samples = 0;
    std::uint64_t inner_weight = 0;  // below the next nodes inwards of the same row
    std::uint64_t inner_samples = 0;
  };

  template <class Use>
  void ForEachKept(Use use);
  void PlantStacks();
  void AddUpLeaves();
  template <class Leave>
  void WalkTree(Leave leave);
  void AddUpTree();
  void SetTotals();
  void PickRows();
  void AddChains(const Open& node, RowChains& chains) const;
  void GrowCallGraphs();
  void Finish();

  [[nodiscard]] std::uint64_t Weight(const RowTotals& row) const {
    return table_.children ? row.children_weight : row.self_weight;
  }

  struct Picked {
    RowIndex row = 0;
    TableRow shown;
  };

  const Profile& profile_;
  const TableOptions& options_;
  StackExpander expander_;
  EventGroups groups_;
  StackTree stacks_;
  RowTable rows_;
  std::vector<Picked> picked_;
  EventTable table_;
};

// Calls `use(group, leaf, frames)` for the groups whose stacks pass the filters. The frames are
// empty when they are simply those of the stack.
template <class Use>
void TableBuilder::ForEachKept(Use use) {
  LeafFilter filter(profile_, options_.filter, options_.names);
  const bool plain = expander_.IsPlain();
  std::vector<FrameIndex> frames;
  for (SampleGroup& group : groups_.groups) {
    frames.clear();
    bool keep = true;
    if (!plain) keep = expander_.Expand(group.stack, frames);
    const FrameIndex leaf = plain ? expander_.FramesOf(group.stack).first : frames.front();
    if (keep && filter.Keeps(expander_.frames()[leaf].location)) {
      use(group, leaf, frames);
    } else {
      groups_.dropped_weight += group.weight;
      groups_.dropped_samples += group.samples;
    }
  }
}

void TableBuilder::PlantStacks() {
  StackTreeBuilder builder(profile_, expander_);
  std::size_t kept = 0;
  ForEachKept([&](SampleGroup& group, FrameIndex, const std::vector<FrameIndex>& frames) {
    group.stack = frames.empty() ? builder.Add(group.context, group.stack)
                                 : builder.Add(group.context, frames);
    groups_.groups[kept++] = group;
  });
  groups_.groups.resize(kept);
  stacks_ = builder.Finish(groups_.groups);
  groups_.groups = {};
}

// Without children and call graphs the innermost frames are all that counts.
void TableBuilder::AddUpLeaves() {
  ForEachKept([&](const SampleGroup& group, FrameIndex leaf, const auto&) {
    RowTotals& row = rows_.rows()[rows_.RowOf(group.context, leaf)];
    row.self_weight += group.weight;
    row.self_samples += group.samples;
  });
  groups_.groups = {};
}

void TableBuilder::SetTotals() {
  table_.filtered_samples = groups_.dropped_samples;
  table_.total_weight = groups_.total_weight;
  table_.total_samples = groups_.total_samples;
  if (options_.relative_percentage) {
    table_.total_weight -= groups_.dropped_weight;
    table_.total_samples -= groups_.dropped_samples;
  }
}

// Calls `leave(node)` for every node of the tree when all below it are done.
template <class Leave>
void TableBuilder::WalkTree(Leave leave) {
  std::vector<Open> open;
  std::vector<std::uint32_t> newest;  // by row: the place of its innermost open node
  const auto close = [&](TreeIndex next) {
    while (!open.empty() && next >= stacks_.End(open.back().node)) {
      leave(open.back());
      newest[open.back().row] = open.back().above;
      open.pop_back();
    }
  };
  for (const StackTree::Context& context : stacks_.contexts()) {
    for (TreeIndex node = context.root + 1; node < stacks_.End(context.root); ++node) {
      close(node);
      const std::uint64_t weight = stacks_.Weight(node);
      const std::uint64_t samples = stacks_.Samples(node);
      const RowIndex row = rows_.RowOf(context.context, stacks_.Frame(node));
      if (row >= newest.size()) newest.resize(rows_.rows().size() * 2, kNoIndex);
      const std::uint32_t above =
          std::exchange(newest[row], static_cast<std::uint32_t>(open.size()));
      if (!open.empty()) {
        open.back().own_weight -= weight;
        open.back().own_samples -= samples;
      }
      if (above != kNoIndex) {
        open[above].inner_weight += weight;
        open[above].inner_samples += samples;
      }
      open.push_back(
          {.node = node, .row = row, .above = above, .own_weight = weight, .own_samples = samples});
    }
    close(stacks_.End(context.root));
  }
}

void TableBuilder::AddUpTree() {
  WalkTree([&](const Open& node) {
    RowTotals& row = rows_.rows()[node.row];
    row.self_weight += node.own_weight;
    row.self_samples += node.own_samples;
    if (node.above != kNoIndex) return;
    row.children_weight += stacks_.Weight(node.node);
    row.children_samples += stacks_.Samples(node.node);
  });
}

// The rows at or above the percent limit, in their order.
void TableBuilder::PickRows() {
  const double limit = static_cast<double>(table_.total_weight) * options_.percent_limit / 100;
  for (RowIndex index = 0; index < rows_.rows().size(); ++index) {
    const RowTotals& row = rows_.rows()[index];
    // The tree knows rows of callers also where they do not count.
    if (!table_.children && row.self_weight == 0 && row.self_samples == 0) continue;
    if (static_cast<double>(Weight(row)) < limit) {
      ++table_.hidden_rows;
      continue;
    }
    Picked picked{.row = index, .shown = rows_.Describe(index, table_.event)};
    picked.shown.self_weight = row.self_weight;
    picked.shown.self_samples = row.self_samples;
    picked.shown.children_weight = Weight(row);
    picked.shown.children_samples = table_.children ? row.children_samples : row.self_samples;
    picked_.push_back(std::move(picked));
  }
  std::ranges::sort(picked_, [](const Picked& a, const Picked& b) {
    return std::tie(b.shown.children_weight, b.shown.self_weight, a.shown.keys, a.row) <
           std::tie(a.shown.children_weight, a.shown.self_weight, b.shown.keys, b.row);
  });
}

void TableBuilder::GrowCallGraphs() {
  const bool fractal = options_.call_graph.style == CallGraphStyle::kFractal;
  const auto min_weight =
      fractal ? 0
              : static_cast<std::uint64_t>(static_cast<double>(table_.total_weight) *
                                           options_.call_graph.min_percent / 100);
  // A row below the limit cannot have a branch above it, so its stacks are not even collected.
  std::vector<std::uint32_t> place(rows_.rows().size(), kNoIndex);
  for (std::uint32_t i = 0; i < picked_.size(); ++i) {
    if (picked_[i].shown.children_weight >= min_weight) place[picked_[i].row] = i;
  }
  std::vector<RowChains> chains(picked_.size());
  WalkTree([&](const Open& node) {
    if (place[node.row] != kNoIndex) AddChains(node, chains[place[node.row]]);
  });
  CallTree tree(profile_, options_, expander_, stacks_);
  for (std::uint32_t i = 0; i < picked_.size(); ++i) {
    if (chains[i].leaves.empty() && chains[i].subtrees.empty()) continue;
    picked_[i].shown.call_graph = tree.Grow(std::exchange(chains[i], {}), table_.order, min_weight);
  }
}

// Of a recursion, a call graph begins at the occurrence met first in its own direction.
void TableBuilder::AddChains(const Open& node, RowChains& chains) const {
  const bool caller = table_.order == CallGraphOrder::kCaller;
  RowChains::Leaf leaf{node.node, node.own_weight, node.own_samples};
  if (table_.children && !caller) {
    leaf.weight = stacks_.Weight(node.node) - node.inner_weight;
    leaf.samples = stacks_.Samples(node.node) - node.inner_samples;
  }
  // As in perf, a sample of the row itself brings its whole stack, also with order caller.
  if (leaf.weight > 0 || leaf.samples > 0) chains.leaves.push_back(leaf);
  if (table_.children && caller && node.above == kNoIndex) chains.subtrees.push_back(node.node);
}

void TableBuilder::Finish() {
  table_.rows.reserve(picked_.size());
  for (Picked& picked : picked_) table_.rows.push_back(std::move(picked.shown));
}

}  // namespace

Result<std::vector<EventTable>> BuildTables(const Profile& profile, const TableOptions& options) {
  // Before the samples are read, so that a bad expression fails at once.
  PROF_TRY(StackExpander::Create(profile, options));
  std::vector<EventGroups> groups = Aggregate(profile, options);
  std::vector<EventTable> tables;
  for (model::EventId event = 0; event < groups.size(); ++event) {
    PROF_TRY_ASSIGN(auto expander, StackExpander::Create(profile, options));
    tables.push_back(
        TableBuilder(profile, options, event, std::move(expander), std::move(groups[event]))
            .Build());
  }
  return tables;
}

}  // namespace prof::analysis
