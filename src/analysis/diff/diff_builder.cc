// The steps of a comparison: reduce each recording, choose the events, match, compare.
#include "prof/analysis/diff/diff_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "analysis/diff/amount_unit.h"
#include "analysis/diff/common_events.h"
#include "analysis/diff/merged_tree.h"
#include "analysis/diff/program_note.h"
#include "analysis/diff/row_changes.h"
#include "analysis/diff/run_reduction.h"
#include "analysis/diff/total_change.h"

namespace prof::analysis::diff {

class DiffBuilder::Impl {
 public:
  explicit Impl(DiffOptions options) : options_(std::move(options)) {}

  Status Add(const Recording& recording) {
    // Blocks of time are wanted of single runs only; a second one may still come.
    const bool first = CountOf(recording.side) == 0;
    PROF_TRY(CheckNew(recording));
    PROF_TRY_ASSIGN(ReducedRun run, Reduce(recording, options_, first, keys_));
    runs_.push_back(std::move(run));
    comparability_.Add(recording);
    program_.Add(recording);
    return {};
  }

  Result<ProfileDiff> Build() {
    PROF_TRY(CheckSides());
    BringBeforeFirst();
    PROF_TRY_ASSIGN(const CommonEvents common, FindCommonEvents(runs_));
    const TimeBase base = FindTimeBase(runs_);
    ProfileDiff diff{.alpha = options_.alpha, .keys = options_.keys};
    for (const ReducedRun& run : runs_) diff.runs.push_back(run.facts);
    diff.warnings = common.warnings;
    Append(base.warnings, diff.warnings);
    Append(comparability_.Warnings(), diff.warnings);
    Matching matching(Seen(), Programs(), options_.renames, keys_);
    KeyTexts texts(keys_, options_.names);
    for (const std::string& name : common.names) {
      const EventUnits units = UnitsOf(name, base);
      if (!HasSamples(units)) continue;
      PROF_TRY_ASSIGN(EventDiff event, Compare(units, base, matching, texts));
      diff.events.push_back(std::move(event));
    }
    if (diff.events.empty()) {
      return Fail(ErrorKind::kBadData, "the filters leave no sample on either side",
                  "names must be exact; `prof report` shows what there is");
    }
    AddNotes(matching, diff);
    return diff;
  }

 private:
  [[nodiscard]] std::size_t CountOf(Side side) const {
    return static_cast<std::size_t>(
        std::ranges::count(runs_, side, [](const ReducedRun& run) { return run.facts.side; }));
  }

  // A recording that is given twice would be taken for two runs that agree.
  [[nodiscard]] Status CheckNew(const Recording& recording) const {
    const model::RecordingInfo& info = recording.profile.info();
    for (const ReducedRun& run : runs_) {
      const model::RecordingInfo& other = run.facts.info;
      const bool same = info.start.monotonic_ns != 0 && info.boot_id == other.boot_id &&
                        info.start.monotonic_ns == other.start.monotonic_ns;
      if (!same || run.facts.side != recording.side) continue;
      return Fail(ErrorKind::kUsage,
                  recording.name == run.facts.name
                      ? recording.name + " is given twice on one side"
                      : recording.name + " is the same recording as " + run.facts.name,
                  "each run of a side counts once");
    }
    return {};
  }

  static void Append(const std::vector<std::string>& from, std::vector<std::string>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  Status CheckSides() const {
    for (const Side side : {Side::kBefore, Side::kAfter}) {
      if (CountOf(side) > 0) continue;
      return Fail(ErrorKind::kUsage,
                  fmt::format("there is no recording {} to compare",
                              side == Side::kBefore ? "of before" : "of after"),
                  "prof diff BEFORE AFTER");
    }
    return {};
  }

  void BringBeforeFirst() {
    std::vector<ReducedRun> runs;
    for (const Side side : {Side::kBefore, Side::kAfter}) {
      for (ReducedRun& run : runs_) {
        if (run.facts.side == side) runs.push_back(std::move(run));
      }
      // What was moved from keeps no side that would be met again.
      std::erase_if(runs_, [&](const ReducedRun& run) { return run.facts.side == side; });
    }
    runs_ = std::move(runs);
  }

  SeenKeys Seen() const {
    SeenKeys seen(keys_);
    for (const ReducedRun& run : runs_) {
      for (const FunctionId function : run.functions) seen.Add(run.facts.side, function);
      for (const ReducedEvent& event : run.events) {
        for (const RunRow& row : event.rows) {
          seen.Add(run.facts.side, keys_.RowOf(row.id).function);
        }
        for (const RunTree::Node& node : event.tree.nodes) {
          seen.Add(run.facts.side, node.function);
        }
      }
    }
    return seen;
  }

  // What was launched on each side; empty where runs differ, or nothing was.
  std::array<std::string, 2> Programs() const {
    std::array<std::string, 2> programs;
    for (const Side side : {Side::kBefore, Side::kAfter}) {
      std::set<std::string> names;
      for (const ReducedRun& run : runs_) {
        if (run.facts.side != side) continue;
        const auto& command = run.facts.info.target_command;
        names.insert(command.empty() ? "" : command.front().substr(command.front().rfind('/') + 1));
      }
      if (names.size() == 1) programs[static_cast<std::size_t>(side)] = *names.begin();
    }
    return programs;
  }

  EventUnits UnitsOf(const std::string& name, const TimeBase& base) const {
    EventUnits units{.before_runs = CountOf(Side::kBefore)};
    for (const ReducedRun& run : runs_) {
      const ReducedEvent* event = FindEvent(run, name);
      const bool clock = event->desc.unit == model::EventUnit::kNanoseconds;
      units.runs.push_back(
          {.event = event,
           .side = run.facts.side,
           .divisor = (clock ? 1e9 : 1) * (base.per_second ? run.facts.seconds : 1)});
    }
    units.blocks = units.runs.size() == 2;
    units.testable = !units.blocks || std::ranges::all_of(runs_, [](const ReducedRun& run) {
      return run.span.timed;
    });
    return units;
  }

  static bool HasSamples(const EventUnits& units) {
    return std::ranges::any_of(units.runs,
                               [](const EventRun& run) { return run.event->total.samples > 0; });
  }

  Result<EventDiff> Compare(const EventUnits& units, const TimeBase& base, Matching& matching,
                            KeyTexts& texts) {
    EventDiff diff{.event = units.runs.back().event->desc};
    diff.unit = {.unit = diff.event.unit, .per_second = base.per_second};
    diff.walked =
        std::ranges::all_of(units.runs, [](const EventRun& run) { return run.event->walked; });
    for (const EventRun& run : units.runs) diff.filtered_samples += run.event->filtered.samples;
    PROF_TRY(CompareTotals(units, options_.alpha, diff));
    PROF_TRY_ASSIGN(const std::vector<RowId> ids,
                    CompareRows(units, options_, keys_, matching, texts, diff));
    if (!options_.tree && !options_.callers) return diff;
    const MergedTree merged = MergeTrees(units, matching);
    if (options_.tree) {
      PROF_TRY_ASSIGN(diff.tree, CompareTrees(units, merged, keys_, texts, options_.alpha));
    }
    if (options_.callers) {
      diff.callers = CompareCallers(units, merged, ids, diff, keys_, matching, texts);
    }
    return diff;
  }

  void AddNotes(const Matching& matching, ProfileDiff& diff) const {
    const std::string program = program_.Text();
    if (!program.empty()) diff.notes.push_back(program);
    Append(comparability_.Notes(), diff.notes);
    Append(matching.notes(), diff.notes);
    if (std::ranges::find(options_.keys, SortKey::kSrcLine) != options_.keys.end()) {
      diff.notes.emplace_back("source lines are compared by number: lines that moved are others");
    }
    const bool untimed = runs_.size() == 2 && std::ranges::any_of(runs_, [](const ReducedRun& run) {
                           return !run.span.timed;
                         });
    if (untimed) {
      diff.notes.emplace_back(
          "single recordings whose samples have no times cannot be tested: compare several a side");
    }
  }

  DiffOptions options_;
  KeyTable keys_;
  std::vector<ReducedRun> runs_;
  Comparability comparability_;
  ProgramNote program_;
};

DiffBuilder::DiffBuilder(DiffOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
DiffBuilder::~DiffBuilder() = default;
DiffBuilder::DiffBuilder(DiffBuilder&&) noexcept = default;
DiffBuilder& DiffBuilder::operator=(DiffBuilder&&) noexcept = default;
Status DiffBuilder::Add(const Recording& recording) { return impl_->Add(recording); }
Result<ProfileDiff> DiffBuilder::Build() { return impl_->Build(); }

}  // namespace prof::analysis::diff
