// Event names as users write them, turned into perf_event_attr.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/model/event.h"

namespace prof::perf {

// One parsed event: all of its attr that the text decides. Sampling rate, inheritance, sample_type
// and read_format belong to the session that opens it and are zero here, except where the text
// gives them (pmu/period=N/, freq=N).
struct EventSpec {
  // Name, unit, excludes_*, precise, and of sysfs events the scale; the session fills the rest.
  model::EventDesc desc;
  perf_event_attr attr{};  // size, type, config, config1..3, bp_*, exclude_*, precise_ip, pinned
  int group = -1;          // >= 0: opened as one group with the neighbours of the same number
  bool group_leader = false;
  bool leader_sampling = false;  // modifier S: only the leader samples and reads the others
  // Modifier P: precise_ip is 3, to be lowered until the kernel opens the event.
  bool precise_max = false;
  bool tracepoint = false;
  std::string filter;  // kernel filter expression, tracepoints only
};

// Parses the argument of one -e: "cycles:u,{instructions,cache-misses}:S,sched:sched_switch,r1a8,
// cpu/event=0x3c,umask=1/,mem:0x1000/8:w,page-faults". Names are tried in this order: perf's
// generic hardware, cache and software names, PMU and raw syntax, tracepoints (globs allowed:
// "sched:*"), libpfm4. `first_group` numbers the groups of this call. Unknown names fail with
// kNotFound and the nearest names as the hint; tracefs that cannot be read with kPermission.
Result<std::vector<EventSpec>> ParseEvents(const std::string& text, const HostFs& fs,
                                           int first_group);

// The default event "cycles", and what stands in for it.
EventSpec CyclesEvent();
EventSpec CpuClockEvent();

// True for software events that are counted with the kernel's registers, so that nothing is left of
// them in user code: context-switches, cpu-migrations, cgroup-switches.
bool HappensInKernel(const perf_event_attr& attr);

// The generic and raw events, which every core's own PMU counts.
bool IsOfTheCores(const perf_event_attr& attr);
// Whether sysfs has a PMU for the cores: many virtual machines have none.
bool HasCorePmu(const HostFs& fs);

// Names close to `wrong` among all that ParseEvents knows, best first, at most `limit`.
std::vector<std::string> NearestEventNames(const std::string& wrong, const HostFs& fs,
                                           std::size_t limit);

}  // namespace prof::perf
