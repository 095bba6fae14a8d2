// Builds the tables of a report: expand each distinct stack once, add up rows, then grow call
// graphs.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/aggregate.h"
#include "analysis/call_tree.h"
#include "analysis/row_table.h"
#include "analysis/sample_filter.h"
#include "analysis/stack_expander.h"

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
    ExpandStacks();
    rows_.Prepare();
    SetTotals();
    AddUpRows();
    PickRows();
    if (groups_.walked && options_.call_graph.style != CallGraphStyle::kNone) GrowCallGraphs();
    Finish();
    return std::move(table_);
  }

 private:
  void ExpandStacks();
  void SetTotals();
  void AddUpRows();
  void PickRows();
  void GrowCallGraphs();
  void Finish();
  // Calls `use(row, position)` once for each row that a group counts for, the leaf's first.
  template <class Use>
  void ForEachRow(std::uint32_t group, Use use);

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
  ExpandedStacks stacks_;
  RowTable rows_;
  std::vector<std::uint32_t> stamp_of_row_;  // the last group, plus one, that counted for the row
  std::vector<Picked> picked_;
  EventTable table_;
};

// Leaves only the groups whose stacks pass the filters.
void TableBuilder::ExpandStacks() {
  LeafFilter filter(profile_, options_.filter, options_.names);
  std::vector<SampleGroup> kept;
  NodeIndex last = kNoIndex;
  bool keep = false;
  for (const SampleGroup& group : groups_.groups) {
    if (group.stack != last) {
      last = group.stack;
      const std::size_t first = stacks_.frames.size();
      keep = expander_.Expand(group.stack, stacks_.frames) &&
             filter.Keeps(expander_.frames()[stacks_.frames[first]].location);
      if (keep) {
        stacks_.stacks.push_back(
            {first, static_cast<std::uint32_t>(stacks_.frames.size() - first)});
      } else {
        stacks_.frames.resize(first);
      }
    }
    if (keep) {
      kept.push_back(group);
      stacks_.stack_of_group.push_back(static_cast<std::uint32_t>(stacks_.stacks.size() - 1));
    } else {
      groups_.dropped_weight += group.weight;
      groups_.dropped_samples += group.samples;
    }
  }
  groups_.groups = std::move(kept);
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

template <class Use>
void TableBuilder::ForEachRow(std::uint32_t group, Use use) {
  const ExpandedStacks::Range range = stacks_.stacks[stacks_.stack_of_group[group]];
  const std::uint32_t context = groups_.groups[group].context;
  const auto visit = [&](std::uint32_t position) {
    const RowIndex row = rows_.RowOf(context, stacks_.frames[range.first + position]);
    if (row >= stamp_of_row_.size()) stamp_of_row_.resize(rows_.rows().size() * 2, 0);
    if (std::exchange(stamp_of_row_[row], group + 1) != group + 1) use(row, position);
  };
  visit(0);
  if (!table_.children) return;
  // Of a recursion, a call graph begins at the occurrence met first in its own direction.
  if (table_.order == CallGraphOrder::kCaller) {
    for (std::uint32_t position = range.count; position-- > 1;) visit(position);
  } else {
    for (std::uint32_t position = 1; position < range.count; ++position) visit(position);
  }
}

void TableBuilder::AddUpRows() {
  for (std::uint32_t group = 0; group < groups_.groups.size(); ++group) {
    const SampleGroup& counted = groups_.groups[group];
    ForEachRow(group, [&](RowIndex index, std::uint32_t position) {
      RowTotals& row = rows_.rows()[index];
      row.children_weight += counted.weight;
      row.children_samples += counted.samples;
      if (position == 0) {
        row.self_weight += counted.weight;
        row.self_samples += counted.samples;
      }
    });
  }
}

// The rows at or above the percent limit, in their order.
void TableBuilder::PickRows() {
  const double limit = static_cast<double>(table_.total_weight) * options_.percent_limit / 100;
  for (RowIndex index = 0; index < rows_.rows().size(); ++index) {
    const RowTotals& row = rows_.rows()[index];
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
  std::vector<std::vector<Chain>> chains(picked_.size());
  std::ranges::fill(stamp_of_row_, 0);
  const bool caller = table_.order == CallGraphOrder::kCaller;
  for (std::uint32_t group = 0; group < groups_.groups.size(); ++group) {
    const std::uint32_t frames = stacks_.stacks[stacks_.stack_of_group[group]].count;
    ForEachRow(group, [&](RowIndex row, std::uint32_t position) {
      if (place[row] == kNoIndex) return;
      // As in perf, a sample of the row itself brings its whole stack, also with order caller.
      const std::uint32_t start = caller && position == 0 ? frames - 1 : position;
      chains[place[row]].push_back({group, start});
    });
  }
  CallTree tree(profile_, options_, expander_, groups_, stacks_);
  for (std::uint32_t i = 0; i < picked_.size(); ++i) {
    if (chains[i].empty()) continue;
    picked_[i].shown.call_graph = tree.Grow(chains[i], table_.order, min_weight);
    chains[i] = {};
  }
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
