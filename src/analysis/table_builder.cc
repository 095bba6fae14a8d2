// Builds the tables of a report: put the stacks into one tree, add up rows along it, then grow call
// graphs out of it.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/aggregate.h"
#include "analysis/call_tree.h"
#include "analysis/kept_stacks.h"
#include "analysis/row_table.h"
#include "analysis/stack_expander.h"
#include "analysis/stack_tree.h"
#include "analysis/tree_walk.h"

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
      stacks_ = PlantStacks(profile_, options_, expander_, groups_);
      groups_.groups = {};
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
  void AddUpLeaves();
  template <class Leave>
  void WalkStacks(Leave leave);
  void AddUpTree();
  void SetTotals();
  void PickRows();
  void AddChains(const OpenNode& node, RowChains& chains) const;
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

// Without children and call graphs the innermost frames are all that counts.
void TableBuilder::AddUpLeaves() {
  ForEachKept(profile_, options_, expander_, groups_,
              [&](const SampleGroup& group, FrameIndex leaf, const auto&) {
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

template <class Leave>
void TableBuilder::WalkStacks(Leave leave) {
  const auto row_of = [&](std::uint32_t context, FrameIndex frame) {
    return rows_.RowOf(context, frame);
  };
  WalkTree(stacks_, row_of, leave);
}

void TableBuilder::AddUpTree() {
  WalkStacks([&](const OpenNode& node) {
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
  WalkStacks([&](const OpenNode& node) {
    if (place[node.row] != kNoIndex) AddChains(node, chains[place[node.row]]);
  });
  CallTree tree(profile_, options_, expander_, stacks_);
  for (std::uint32_t i = 0; i < picked_.size(); ++i) {
    if (chains[i].leaves.empty() && chains[i].subtrees.empty()) continue;
    picked_[i].shown.call_graph = tree.Grow(std::exchange(chains[i], {}), table_.order, min_weight);
  }
}

// Of a recursion, a call graph begins at the occurrence met first in its own direction.
void TableBuilder::AddChains(const OpenNode& node, RowChains& chains) const {
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
