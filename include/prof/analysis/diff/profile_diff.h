// What changed between two sets of recordings, as plain data: what the renderers are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"
#include "prof/analysis/statistics/comparison.h"
#include "prof/analysis/statistics/count_changes.h"

namespace prof::analysis::diff {

enum class Side : std::uint8_t { kBefore, kAfter };

// In what amounts are: those of clock events in seconds of CPU, others in events or bytes; of a
// command per run, of attached and system-wide recordings per second of wall time.
struct AmountUnit {
  model::EventUnit unit = model::EventUnit::kNanoseconds;  // kNanoseconds: amounts are in seconds
  bool per_second = false;
};

// Whether a change is more than noise.
struct ChangeTest {
  statistics::Interval interval;  // 95 %, of the difference
  double p = 1;
  double adjusted_p = 1;  // Benjamini and Hochberg's, over what was tested together
  bool significant = false;
  double detectable = 0;  // the smallest change that would have been found with 80 % power
};

// One amount on both sides: means over the runs, in AmountUnit.
struct Change {
  double before = 0;
  double after = 0;
  std::uint64_t before_samples = 0;  // of all runs
  std::uint64_t after_samples = 0;
  std::optional<ChangeTest> test;  // none: too few samples, or single runs without times

  [[nodiscard]] double Delta() const { return after - before; }
  [[nodiscard]] bool IsSignificant() const { return test && test->significant; }
};

enum class Presence : std::uint8_t { kBoth, kAppeared, kGone };

struct DiffRow {
  std::vector<std::string> keys;  // one text per sort key, as the after side has it where both do
  char level = '.';               // '.' user, 'k' kernel
  Presence presence = Presence::kBoth;
  // How the before side calls it where that differs (of renames that were asked for: nothing).
  std::string was;
  Change self;  // tested among all rows
  // With everything that was called; tested among all rows, too. Equal to `self` without stacks.
  Change children;
};

// The call trees of both sides, matched by name: callers outside. Nodes are in preorder: the
// subtree of node i is [i, i + size of i). Node 0 is the root, which has no name.
struct DiffTree {
  struct Node {
    std::uint32_t name = 0;    // into names
    std::uint32_t parent = 0;  // 0 of the root itself
    std::uint32_t size = 1;    // of the subtree
    char level = '.';
    bool inlined = false;
    double self_before = 0;
    double self_after = 0;
    Change total;  // of the subtree; tested among all nodes
  };
  std::vector<std::string> names;
  std::vector<Node> nodes;
};

// A row's callers: for -g. Children are callers, by the size of their change, up to 64 levels; the
// changes of a node's callers add up to its own, but for stacks that end in it.
struct CallerChange {
  std::string name;
  char level = '.';
  bool inlined = false;
  // Above 0: this is no function but the sum of so many callers below 0.5 % of the row on both
  // sides; the name says so, it comes last and its own callers are not listed.
  std::uint64_t folded = 0;
  Change change;  // of the row's self amount that came by here; not tested
  std::vector<CallerChange> callers;
};

// All runs of one side of one event.
struct SideTotals {
  std::vector<double> runs;  // amount of each
  std::uint64_t samples = 0;
  double mean = 0;
  double whole = 0;  // the mean without filters
};

enum class TotalVerdict : std::uint8_t {
  kLower,
  kHigher,
  kNoDifferenceShown,
  kTooNoisy,    // nor would a change by 10 % have been shown
  kTooFewRuns,  // see runs_needed
};

// The total of all runs: means, which the rows add up to, and what they prove.
struct TotalChange {
  Change change;  // test: by permutation of the runs' totals; none with one run on a side
  TotalVerdict verdict = TotalVerdict::kTooFewRuns;
  // Of after / before - 1, of the means; none without a test, or without anything before. The
  // interval of the difference as a share of before.
  std::optional<double> share;
  std::optional<statistics::Interval> share_interval;
  double smallest_p = 1;                   // that so many runs can reach
  std::size_t runs_needed = 0;             // of each side, to reach alpha
  std::optional<double> detectable_share;  // the smallest change this would have shown
  std::vector<std::string> noise;          // why it is too noisy: outliers, drift, in words
};

struct EventDiff {
  model::EventDesc event;  // of the after side
  AmountUnit unit;
  SideTotals before;
  SideTotals after;
  TotalChange total;
  statistics::CountUnits units = statistics::CountUnits::kRuns;  // what rows were tested by
  statistics::CountTest test = statistics::CountTest::kModerated;
  double variation = 0;  // CountChanges::variation of the rows
  double widened = 1;    // CountChanges::widened
  bool walked = false;   // there are stacks: `children` and trees mean something
  // Significant ones first, by |delta|; then the others, by |delta|; ties by keys.
  std::vector<DiffRow> rows;
  // Rows with fewer samples on both sides together than were asked for
  // (DiffOptions::fewest_samples), added up: they are not in `rows`.
  std::uint64_t scarce_rows = 0;
  Change scarce;
  std::uint64_t filtered_samples = 0;              // left out by filters, of both sides
  std::optional<DiffTree> tree;                    // if asked for
  std::vector<std::vector<CallerChange>> callers;  // if asked for; index: row, empty of rows
                                                   // without a significant change
};

// One recording, for the head.
struct RunFacts {
  Side side = Side::kBefore;
  std::string name;  // of the file
  model::RecordingInfo info;
  double seconds = 0;  // of sampling, wall time
  std::uint64_t samples = 0;
  bool complete = true;
};

struct ProfileDiff {
  std::vector<RunFacts> runs;  // before first, in the order added
  double alpha = 0.05;
  std::vector<SortKey> keys;  // what the keys of the rows are
  // What makes the two sides hard to compare, one sentence each, the worst first.
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // of matching: modules that were paired by guess, and so on
  std::vector<EventDiff> events;   // those that all runs have; never empty
};

inline constexpr std::uint64_t kFewestSamples = 10;

// Whether after is slower (its total higher) by at least `percent`, and that with significance: the
// gate of --fail-if-slower. Looks at the first event.
[[nodiscard]] bool IsSlowerBy(const ProfileDiff& diff, double percent);

}  // namespace prof::analysis::diff
