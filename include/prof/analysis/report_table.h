// The tables of `prof report`: rows by sort keys, self and children weights, call graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"
#include "prof/base/result.h"

namespace prof::analysis {

enum class SortKey : std::uint8_t {
  kComm,
  kPid,
  kTid,
  kDso,
  kSym,
  kSrcLine,
  kSrcFile,
  kCpu,
  kTime,
  kEvent
};

enum class CallGraphStyle : std::uint8_t { kNone, kGraph, kFractal, kFlat, kFolded };
enum class CallGraphOrder : std::uint8_t { kCaller, kCallee };
enum class CallGraphValue : std::uint8_t { kPercent, kPeriod, kCount };

struct CallGraphOptions {
  CallGraphStyle style = CallGraphStyle::kGraph;
  double min_percent = 0.5;             // of the event's total (kGraph) or of the parent (kFractal)
  std::uint32_t print_limit = 0;        // chains per row; 0: no limit
  std::optional<CallGraphOrder> order;  // default: caller with children, callee without, as perf
  bool by_address = false;              // key "address" instead of "function"
  CallGraphValue value = CallGraphValue::kPercent;
};

// Which samples count. Empty vectors and unset values filter nothing. Filters, and parent_regex
// too, drop samples
// ("filtered"); the percentages of a filtered view are relative to `relative_percentage ? what is
// left : the whole`.
struct SampleFilter {
  // Exact names; dsos match ShortName or path, symbols match display names, both of the innermost
  // frame, as in perf.
  std::vector<std::string> comms, dsos, symbols;
  std::string symbol_contains;  // --symbol-filter
  std::vector<std::uint32_t> pids, tids;
  std::vector<int> cpus;
  std::uint64_t time_begin_ns = 0;  // of the recording's clock
  std::uint64_t time_end_ns = ~std::uint64_t{0};
};

struct TableOptions {
  std::vector<SortKey> sort = {SortKey::kComm, SortKey::kDso, SortKey::kSym};
  bool children = true;  // accumulate callers' rows; falls to false when no stacks exist
  bool inlines = true;   // inlined functions are frames of their own
  NameStyle names = NameStyle::kPlain;
  CallGraphOptions call_graph;
  SampleFilter filter;
  std::string parent_regex;  // -p: only stacks with a matching caller; empty: off
  std::vector<std::string>
      ignore_callees;                // functions whose callees are folded into them (regexes)
  std::uint32_t max_stack = 0;       // frames considered, innermost first; 0: all
  double percent_limit = 0;          // rows below are left out
  bool relative_percentage = false;  // --percentage relative
};

// A node of a row's call graph. For order caller the children are callees, for callee they are
// callers.
struct CallNode {
  std::string name;  // display name, or address text with by_address
  bool inlined = false;
  std::uint64_t weight = 0;  // of this node and everything below
  std::uint64_t samples = 0;
  std::uint64_t own_weight = 0;  // chains that end here
  std::uint64_t own_samples = 0;
  std::vector<CallNode> children;   // by weight, descending; those below the limits are left out
  std::uint64_t pruned_weight = 0;  // sum of the children left out
};

struct TableRow {
  std::vector<std::string> keys;  // one text per sort key ("[.] main" is two things: see `level`)
  char level = '.';               // '.' user, 'k' kernel: perf's "[.]" and "[k]"
  std::uint64_t self_weight = 0;
  std::uint64_t children_weight = 0;  // == self_weight without children
  std::uint64_t self_samples = 0;
  std::uint64_t children_samples = 0;
  // Top nodes; the row itself is one of the nodes (the first of callee chains and of a caller's,
  // the last of its own samples with order caller). Empty with kNone, without stacks, and for rows
  // below min_percent.
  std::vector<CallNode> call_graph;
};

struct EventTable {
  model::EventId event = 0;
  std::uint64_t total_weight = 0;  // what 100 % is
  std::uint64_t total_samples = 0;
  std::uint64_t filtered_samples = 0;  // dropped by the filter
  bool children = false;               // children columns make sense
  CallGraphOrder order = CallGraphOrder::kCaller;
  std::vector<TableRow>
      rows;  // by children (or self) weight, descending; ties by keys, so output is stable
  std::uint64_t hidden_rows = 0;  // below percent_limit
};

// One table per event that has samples or was asked for. kUsage for a bad regex.
Result<std::vector<EventTable>> BuildTables(const Profile& profile, const TableOptions& options);

}  // namespace prof::analysis
