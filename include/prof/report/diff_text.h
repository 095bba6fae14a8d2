// `prof diff` as text: the verdict, what to beware of, the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prof/analysis/diff/profile_diff.h"

namespace prof::report {

struct DiffTextOptions {
  int width = 0;  // columns of the terminal; 0: a pipe, never cut
  bool color = false;
  bool quiet = false;     // -q: the table without what begins with '#'
  bool all_rows = false;  // --all: those without a significant change, too, instead of one line
  bool samples = false;   // -n: columns of samples
  bool percent = false;   // --percent: shares of each side's total beside the amounts
  bool relative_percentage = false;  // of what filters leave, else of all samples
  bool children = false;   // judged and ordered by the inclusive amounts, which do not add up
  bool callers = false;    // -g: callers below the rows; not with a separator
  double min_percent = 5;  // -g: callers with less of their row's change are left out
  std::string separator;   // -t: fields separated by it, unpadded and ungrouped
};

// The whole comparison, one section per event. Printed amounts add up: rows, the line of what is
// folded and the line of scarce rows make the total to the last digit, in the columns before, after
// and change, and change is after less before. Inclusive amounts (`children`) do not add up, which
// is said.
std::string RenderDiff(const analysis::diff::ProfileDiff& diff, const DiffTextOptions& options);

// The verdict on `event`, one of the diff's: "after is 8.1 % faster (6.9 to 9.4, p < 0.001):
// `parse_row` -0.42 s, ...". One sentence without its full stop, control characters replaced.
std::string DiffVerdict(const analysis::diff::ProfileDiff& diff,
                        const analysis::diff::EventDiff& event, bool children = false);

// perf diff's own table (-c): "Baseline", the computed column, the keys. Of several runs a side the
// means; periods in units of the event, of clocks in nanoseconds.
enum class PerfCompute : std::uint8_t { kDelta, kDeltaAbs, kRatio, kWeightedDiff };
struct PerfDiffOptions {
  PerfCompute compute = PerfCompute::kDeltaAbs;
  std::int64_t weight_before = 1;  // wdiff:BEFORE,AFTER
  std::int64_t weight_after = 1;
  // -o: 0 by the baseline, 1 by the computed column; none: as computed.
  std::optional<std::uint32_t> order;
  bool period = false;               // -p: periods of both sides
  bool formula = false;              // -F: how the column came about
  bool baseline_only = false;        // -b: rows that both sides have
  bool relative_percentage = false;  // of what filters leave, else of all samples
  bool quiet = false;
  std::string separator;
};

std::string RenderPerfDiff(const analysis::diff::ProfileDiff& diff, const PerfDiffOptions& options);

}  // namespace prof::report
