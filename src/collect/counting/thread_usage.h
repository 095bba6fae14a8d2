// What the threads of a running target have used, so that two looks tell what a run used.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "prof/base/host_fs.h"
#include "prof/model/run.h"

namespace prof::collect {

// Since the thread began; times in clock ticks' resolution except `wait_ns`.
struct ThreadUsage {
  std::uint64_t start_ticks = 0;  // since boot; tells a reused id from the same thread
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t wait_ns = model::kNotKnown;
  std::uint64_t voluntary_switches = model::kNotKnown;
  std::uint64_t involuntary_switches = model::kNotKnown;
  std::uint64_t peak_rss_bytes = model::kNotKnown;  // of its process
};

// The text of /proc/PID/task/TID/stat. Nothing when it is malformed.
std::optional<ThreadUsage> ParseThreadStat(std::string_view text);

using UsageByThread = std::map<pid_t, ThreadUsage>;
// Those of `threads` that are still there.
UsageByThread ReadThreadUsage(const HostFs& fs, std::span<const pid_t> threads);

// Adds up the differences of the threads that are in both, and fills the run's times and noise.
void AddThreadUsage(const UsageByThread& before, const UsageByThread& after, model::RunDef& run);

}  // namespace prof::collect
