// What to sample when the wish cannot be fulfilled: cpu-clock for cycles, the target's tasks for
// whole CPUs.
#pragma once

#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/collect/record_options.h"
#include "prof/perf/event_open.h"

namespace prof::collect {

// Fills options.events with the default when it is empty: cycles when this machine counts them,
// else cpu-clock, which then says what it replaces and why.
void ChooseDefaultEvent(RecordOptions& options, std::vector<std::string>& notes);

// Refuses early, with the reason, what the kernel would refuse late: kernel-only events, -a, -C and
// tracepoints without the right to them.
Status CheckPermissions(const RecordOptions& options, const perf::KernelLimits& limits);

// Whether a command is sampled by CPU events filtered on its process tree. Inherited clock events
// give every new process a full period before its first sample, which hides short processes; CPU
// events do not (docs/record.md, "Targets").
bool UseCpuWide(const RecordOptions& options, const perf::KernelLimits& limits);

}  // namespace prof::collect
