// Decides the perf_event_attr of everything a recording opens: rates, stack dumps, side-band.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/collect/record_options.h"
#include "prof/perf/event_open.h"

namespace prof::collect {

// One event to sample, ready to be opened.
struct PlannedEvent {
  perf_event_attr attr{};
  model::EventDesc desc;
  int group = -1;
  bool group_leader = false;
  bool leader_sampling = false;  // its group's members are read with the leader's samples
  bool read_member = false;      // such a member: counts only
  bool precise_max = false;      // lower attr.precise_ip until the event opens
  std::string filter;
};

struct AttrPlan {
  std::vector<PlannedEvent> events;  // index: EventId
  std::uint32_t dump_bytes = 0;      // of user stack per sample; 0: none
  bool dump_by_rate = false;         // a default, not the user's choice
  bool any_without_frequency = false;
  std::uint32_t chain_frames = 0;    // most frames of a chain with --call-graph fp, both parts
  std::uint32_t chain_contexts = 0;  // most parts (kernel, user) of any chain
  std::vector<std::string> notes;    // clamped rates and depths
};

// `cpu_wide`: events belong to CPUs, not to the target's tasks, so they are neither inherited nor
// enabled by an exec.
Result<AttrPlan> PlanAttrs(const RecordOptions& options, const perf::KernelLimits& limits,
                           const perf::KernelFeatures& features, bool cpu_wide);

// Applies another dump size (a ring too small for 32 records of it).
void SetDumpBytes(AttrPlan& plan, std::uint32_t dump_bytes);

// Side-band: mmap, comm, fork and exit records, and nothing else.
perf_event_attr SideBandAttr(const perf::KernelFeatures& features, bool inherit,
                             bool enable_on_exec);
// Counts the CPU time of the target's tasks and says it at the end of each one (PERF_RECORD_READ).
perf_event_attr CpuTimeAttr(bool enable_on_exec);

// The default size of a stack dump: by the sum of the rates, smaller for events without a
// frequency.
std::uint32_t DefaultDumpBytes(std::uint64_t total_hz, bool any_without_frequency);

}  // namespace prof::collect
