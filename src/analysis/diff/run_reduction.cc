// Adds up one recording by row, by block of time, and by call path.
#include "analysis/diff/run_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analysis/aggregate.h"
#include "analysis/diff/row_finder.h"
#include "analysis/kept_stacks.h"
#include "analysis/tree_walk.h"

namespace prof::analysis::diff {
namespace {

TableOptions ViewOf(const Recording& recording, const DiffOptions& options) {
  TableOptions view;
  view.sort = options.keys;
  view.children = options.children;
  view.inlines = options.inlines;
  view.names = options.names;
  view.filter = options.filter;
  view.filter.time_begin_ns = recording.time_begin_ns;
  view.filter.time_end_ns = recording.time_end_ns;
  view.parent_regex = options.parent_regex;
  return view;
}

// Adds up one event. All stacks are put into a tree once; rows, blocks and call paths are read
// off it.
class EventReducer {
 public:
  EventReducer(const Profile& profile, const TableOptions& view, const DiffOptions& options,
               bool blocks, KeyTable& keys, ProfileKeys& profile_keys, StackExpander expander,
               EventGroups groups)
      : profile_(profile),
        view_(view),
        tree_(options.tree || options.callers),
        blocks_(blocks),
        profile_keys_(profile_keys),
        expander_(std::move(expander)),
        groups_(std::move(groups)),
        finder_(profile, options.keys, profile_keys, keys, expander_, groups_.contexts) {
    result_.walked = groups_.walked;
  }

  ReducedEvent Reduce() {
    if (tree_ || (view_.children && groups_.walked)) {
      AddUpTree();
    } else {
      AddUpLeaves();
    }
    Finish();
    return std::move(result_);
  }

 private:
  RunRow& RowAt(std::uint32_t row) {
    if (row >= result_.rows.size()) result_.rows.resize(std::size_t{row} + 1);
    return result_.rows[row];
  }
  static std::uint64_t& BlockAt(std::vector<std::uint64_t>& blocks, std::uint32_t row,
                                std::uint32_t block) {
    const std::size_t at = std::size_t{row} * kTimeBlocks + block;
    if (at >= blocks.size()) blocks.resize((std::size_t{row} + 1) * kTimeBlocks);
    return blocks[at];
  }

  void AddSelf(std::uint32_t row, const SampleGroup& group) {
    const Amount amount{group.weight, group.samples};
    RowAt(row).self += amount;
    result_.total += amount;
    if (blocks_) BlockAt(result_.self_blocks, row, group.block) += group.weight;
  }

  // Without stacks the innermost frames are all that counts.
  void AddUpLeaves() {
    ForEachKept(profile_, view_, expander_, groups_,
                [&](const SampleGroup& group, FrameIndex leaf, const auto&) {
                  AddSelf(finder_.RowOf(group.context, leaf), group);
                });
  }

  void AddUpTree() {
    const StackTree stacks = PlantStacks(profile_, view_, expander_, groups_);
    const bool children = view_.children && groups_.walked;
    std::vector<std::uint32_t> row_of_node(stacks.size(), kNoIndex);
    std::vector<bool> outermost(stacks.size());  // of the nodes of one row above each other
    const auto row_of = [&](std::uint32_t context, FrameIndex frame) {
      return finder_.RowOf(context, frame);
    };
    WalkTree(stacks, row_of, [&](const OpenNode& open) {
      row_of_node[open.node] = open.row;
      if (!children || open.above != kNoIndex) return;
      outermost[open.node] = true;
      RowAt(open.row).children += {stacks.Weight(open.node), stacks.Samples(open.node)};
    });
    for (const SampleGroup& group : groups_.groups) AddSelf(row_of_node[group.stack], group);
    if (children && blocks_) AddUpBlocks(stacks, row_of_node, outermost);
    if (!tree_) return;
    for (std::uint32_t& row : row_of_node) row = row == kNoIndex ? kNoIndex : finder_.ids()[row];
    result_.tree =
        MakeRunTree(stacks, expander_.frames(), groups_.groups, row_of_node, profile_keys_);
  }

  void AddUpBlocks(const StackTree& stacks, const std::vector<std::uint32_t>& row_of_node,
                   const std::vector<bool>& outermost) {
    result_.children_blocks.resize(finder_.ids().size() * kTimeBlocks);
    std::array<std::vector<std::uint32_t>, kTimeBlocks> groups;
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at) {
      groups[groups_.groups[at].block].push_back(at);
    }
    std::vector<std::uint64_t> below;
    for (std::uint32_t block = 0; block < kTimeBlocks; ++block) {
      below.assign(stacks.size(), 0);
      for (const std::uint32_t at : groups[block]) {
        below[groups_.groups[at].stack] += groups_.groups[at].weight;
      }
      for (TreeIndex node = stacks.size(); node-- > 0;) {
        if (below[node] == 0 || stacks.IsRoot(node)) continue;
        below[stacks.Parent(node)] += below[node];
        if (!outermost[node]) continue;
        result_.children_blocks[std::size_t{row_of_node[node]} * kTimeBlocks + block] +=
            below[node];
      }
    }
  }

  // Leaves the rows that have samples, numbered for all runs.
  void Finish() {
    const bool children = view_.children && groups_.walked;
    auto& rows = result_.rows;
    rows.resize(finder_.ids().size());
    if (blocks_) result_.self_blocks.resize(rows.size() * kTimeBlocks);
    if (blocks_ && !children) result_.children_blocks = result_.self_blocks;
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!children) rows[row].children = rows[row].self;
      if (rows[row].children.samples == 0 && rows[row].children.weight == 0) continue;
      rows[row].id = finder_.ids()[row];
      rows[kept] = rows[row];
      if (blocks_) {
        MoveBlocks(result_.self_blocks, row, kept);
        MoveBlocks(result_.children_blocks, row, kept);
      }
      ++kept;
    }
    rows.resize(kept);
    if (blocks_) {
      result_.self_blocks.resize(kept * kTimeBlocks);
      result_.children_blocks.resize(kept * kTimeBlocks);
    }
    result_.filtered = {groups_.dropped_weight, groups_.dropped_samples};
  }

  static void MoveBlocks(std::vector<std::uint64_t>& blocks, std::size_t from, std::size_t to) {
    std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(from * kTimeBlocks), kTimeBlocks,
                blocks.begin() + static_cast<std::ptrdiff_t>(to * kTimeBlocks));
  }

  const Profile& profile_;
  const TableOptions& view_;
  bool tree_;
  bool blocks_;
  ProfileKeys& profile_keys_;
  StackExpander expander_;
  EventGroups groups_;
  RowFinder finder_;
  ReducedEvent result_;
};

bool IsWanted(const model::EventDesc& event, const DiffOptions& options) {
  return options.events.empty() ||
         std::ranges::any_of(options.events, [&](const std::string& name) {
           return name == event.name || (!event.replaces.empty() && name == event.replaces);
         });
}

// Of several events of one name the first counts.
std::vector<model::EventId> WantedEvents(const Profile& profile, const DiffOptions& options) {
  std::vector<model::EventId> wanted;
  const auto events = profile.events();
  for (model::EventId event = 0; event < events.size(); ++event) {
    const bool known = std::ranges::any_of(
        wanted, [&](model::EventId other) { return events[other].name == events[event].name; });
    if (!known && IsWanted(events[event], options)) wanted.push_back(event);
  }
  return wanted;
}

Status CheckSamples(const Recording& recording, const std::vector<model::EventId>& wanted) {
  // All sums are below this, also those of several recordings.
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  const Profile& profile = recording.profile;
  std::vector<Amount> totals(profile.events().size());
  for (const model::Sample& sample : profile.samples()) {
    Amount& total = totals[sample.event];
    if (sample.weight > kLargest - total.weight || sample.count > kLargest - total.samples) {
      return Fail(ErrorKind::kBadData,
                  fmt::format("{}: the samples of {} add up to more than any recording can have",
                              recording.name, profile.events()[sample.event].name),
                  "the file is damaged");
    }
    total += {sample.weight, sample.count};
  }
  const auto sampled = [&](model::EventId event) { return totals[event].samples > 0; };
  if (std::ranges::any_of(wanted, sampled)) return {};
  std::string others;
  for (model::EventId event = 0; event < totals.size(); ++event) {
    if (!sampled(event)) continue;
    others += (others.empty() ? "" : ", ") + EventText(profile.events()[event]);
  }
  if (others.empty()) {
    return recording.complete ? Fail(ErrorKind::kBadData, recording.name + " has no samples",
                                     "record for longer, or something that uses the CPU")
                              : Fail(ErrorKind::kBadData,
                                     recording.name + " is damaged or cut: no samples are left",
                                     "prof report -i FILE says what is wrong with it");
  }
  return Fail(ErrorKind::kBadData, recording.name + " has no samples of the events asked for",
              "it has those of " + others);
}

Status CheckKeys(const std::vector<SortKey>& keys) {
  for (const SortKey key : keys) {
    if (key == SortKey::kTime || key == SortKey::kEvent) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("recordings cannot be compared by {}",
                              key == SortKey::kTime ? "time" : "event"),
                  "sort keys of a diff: comm, dso, sym, srcline, srcfile, tid, pid, cpu");
    }
  }
  return {};
}

RunFacts FactsOf(const Recording& recording, const SamplingSpan& span) {
  RunFacts facts{.side = recording.side,
                 .name = recording.name,
                 .info = recording.profile.info(),
                 .seconds = span.Seconds(),
                 .complete = recording.complete};
  return facts;
}

}  // namespace

std::string EventText(const model::EventDesc& event) {
  return event.replaces.empty() ? event.name
                                : fmt::format("{} (in place of {})", event.name, event.replaces);
}

Result<ReducedRun> Reduce(const Recording& recording, const DiffOptions& options, bool blocks,
                          KeyTable& keys) {
  const Profile& profile = recording.profile;
  PROF_TRY(CheckKeys(options.keys));
  const std::vector<model::EventId> wanted = WantedEvents(profile, options);
  PROF_TRY(CheckSamples(recording, wanted));
  const TableOptions view = ViewOf(recording, options);
  // Before the samples are read, so that a bad expression fails at once.
  PROF_TRY(StackExpander::Create(profile, view));
  ReducedRun run{.span = SpanOf(recording)};
  run.facts = FactsOf(recording, run.span);
  const bool by_time = blocks && run.span.timed;
  TimeBlocks time;
  if (by_time) time = {run.span.begin_ns, run.span.end_ns, kTimeBlocks};
  const auto renames =
      recording.side == Side::kBefore ? options.renames : std::vector<ModuleRename>{};
  ProfileKeys profile_keys(profile, renames, keys);
  for (FunctionIndex function = 0; function < profile.functions().size(); ++function) {
    run.functions.push_back(profile_keys.Function(function));
  }
  std::vector<EventGroups> groups = Aggregate(profile, view, time);
  for (const model::EventId event : wanted) {
    PROF_TRY_ASSIGN(auto expander, StackExpander::Create(profile, view));
    EventReducer reducer(profile, view, options, by_time, keys, profile_keys, std::move(expander),
                         std::move(groups[event]));
    run.events.push_back(reducer.Reduce());
    run.events.back().desc = profile.events()[event];
    run.facts.samples += run.events.back().total.samples + run.events.back().filtered.samples;
  }
  return run;
}

}  // namespace prof::analysis::diff
