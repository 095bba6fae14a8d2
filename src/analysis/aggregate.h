// Samples that a view cannot tell apart, added up.
#pragma once

#include <cstdint>
#include <vector>

#include "prof/analysis/report_table.h"

namespace prof::analysis {

// What a row knows of the sample beside its stack. Parts that no sort key asks for are left at
// their defaults.
struct SampleContext {
  NameIndex comm = kNoIndex;
  std::uint32_t pid = kNoIndex;
  std::uint32_t tid = kNoIndex;
  std::uint32_t cpu = 0;
  std::uint64_t time_ns = 0;
  friend bool operator==(const SampleContext&, const SampleContext&) = default;
};

struct SampleGroup {
  NodeIndex stack = 0;
  std::uint32_t context = 0;
  std::uint32_t block = 0;  // of TimeBlocks
  std::uint64_t weight = 0;
  std::uint64_t samples = 0;
};

struct EventGroups {
  std::vector<SampleContext> contexts;
  std::vector<SampleGroup> groups;  // by context
  std::uint64_t total_weight = 0;   // of all samples of the event
  std::uint64_t total_samples = 0;
  std::uint64_t dropped_weight = 0;  // by the filter on threads, CPUs and time
  std::uint64_t dropped_samples = 0;
  bool walked = false;  // some sample has a call graph
};

// Equal parts of a span of time, for views that must tell apart when samples were taken.
struct TimeBlocks {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t count = 1;

  // What lies before or behind the span belongs to the block at that end.
  [[nodiscard]] std::uint32_t Of(std::uint64_t time_ns) const;
};

// One element per event of the profile. Samples of unknown time are dealt out to the blocks in
// turn.
std::vector<EventGroups> Aggregate(const Profile& profile, const TableOptions& options,
                                   const TimeBlocks& blocks = {});

}  // namespace prof::analysis
