// One recording, reduced to what a comparison needs of it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diff/key_table.h"
#include "analysis/diff/run_tree.h"
#include "analysis/diff/sampling_span.h"

#include "prof/analysis/diff/diff_builder.h"
#include "prof/analysis/diff/profile_diff.h"

namespace prof::analysis::diff {

// What single runs are cut into, to see how much amounts vary.
inline constexpr std::uint32_t kTimeBlocks = 20;

struct Amount {
  std::uint64_t weight = 0;
  std::uint64_t samples = 0;

  Amount& operator+=(const Amount& other) {
    weight += other.weight;
    samples += other.samples;
    return *this;
  }
};

struct RunRow {
  RowId id = 0;
  Amount self;
  Amount children;  // == self without stacks
};

struct ReducedEvent {
  model::EventDesc desc;
  Amount total;     // of what the filters leave
  Amount filtered;  // the rest
  bool walked = false;
  std::vector<RunRow> rows;  // with samples
  // Weights, kTimeBlocks a row; empty unless asked for.
  std::vector<std::uint64_t> self_blocks;
  std::vector<std::uint64_t> children_blocks;
  RunTree tree;  // if asked for
};

struct ReducedRun {
  RunFacts facts;
  SamplingSpan span;
  std::vector<FunctionId> functions;  // of all its stacks, whatever is filtered and sorted by
  std::vector<ReducedEvent> events;   // those asked for, once each by name
};

// `blocks`: also by time. kBadData: no samples of the events asked for, weights beyond all reason.
// kUsage: a bad regular expression, sort keys that mean nothing here.
[[nodiscard]] Result<ReducedRun> Reduce(const Recording& recording, const DiffOptions& options,
                                        bool blocks, KeyTable& keys);

// "cpu-clock (in place of cycles)".
[[nodiscard]] std::string EventText(const model::EventDesc& event);

}  // namespace prof::analysis::diff
