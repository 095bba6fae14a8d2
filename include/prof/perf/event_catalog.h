// Every event that -e takes on this machine, what it is, and whether this user can use it.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/perf/event_open.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

enum class EventKind : std::uint8_t {
  kHardware,    // generic: cycles, instructions, ...
  kCache,       // generic: L1-dcache-load-misses, ...
  kSoftware,    // of the kernel: page-faults, cpu-clock, ...
  kPmu,         // pmu/event/ of /sys/bus/event_source/devices
  kTracepoint,  // system:name of tracefs
  kProbe,       // kprobes and uprobes that somebody has set, system:name
  kPfm,         // names of the CPU vendor's manual, from libpfm4
  kForm,        // not one event but a way to write many: rNNN, mem:ADDR, cpu/event=N/
  kMetric,      // no event but a number that several give; ReadEventCatalog knows none
};
inline constexpr int kEventKinds = 9;

// What of the machine an event can observe.
enum class EventScope : std::uint8_t {
  kAny,       // threads and CPUs, user code and kernel
  kUserOnly,  // only with the modifier u: the kernel's part is not permitted to this user
  kCpuWide,   // only whole CPUs (-a, -C), not one process: PMUs outside of the cores
};

struct Availability {
  bool can_count = false;
  bool can_sample = false;
  EventScope scope = EventScope::kAny;  // as far as the event can be used at all
  std::string reason;  // what is missing and why; empty when it can be counted and sampled in full
  std::string hint;    // what would help; may be empty
  bool operator==(const Availability&) const = default;
};

struct CatalogEntry {
  EventKind kind = EventKind::kSoftware;
  std::string group;  // PMU, system of tracepoints, or table of libpfm4; else empty
  std::string name;   // as -e takes it; for forms with letters where the user writes numbers
  std::vector<std::string> aliases;
  // Forms, and events that need a value: what can really be written; else empty, and `name` can.
  std::string example;
  // Metrics: what -e needs for it on this machine, "{cycles,instructions}"; else empty.
  std::vector<std::string> events;
  std::string unit;  // of the scaled count, "Joules"; empty: plain events
  double scale = 1;  // multiply the raw count by this to get `unit`
  // One sentence without a full stop. May be empty: no source describes the event.
  std::string description;
  std::string long_description;  // more lines, separated by \n; may be empty
  Availability availability;
};

// Why events of this kind are missing from the catalogue.
struct CatalogGap {
  EventKind kind = EventKind::kTracepoint;
  std::string reason;
  std::string hint;
};

struct EventCatalog {
  std::vector<CatalogEntry> entries;  // by kind, then group, then name
  std::vector<CatalogGap> gaps;
};

// As OpenEvent; tests put another kernel here.
using EventOpener = std::function<OpenResult(const perf_event_attr&, pid_t tid, int cpu)>;

struct CatalogOptions {
  EventOpener open = [](const perf_event_attr& attr, pid_t tid, int cpu) {
    return OpenEvent(attr, tid, cpu);
  };
  // libpfm4 looks at the machine itself and not at the root of `fs`.
  bool pfm = true;
};

// Reads everything that `fs` describes. Availability is found by opening, disabled and closed at
// once, on this thread or (for PMUs that have a cpumask) on their first CPU:
//  - generic events and the events of sysfs each by itself; of PMUs that exist several times
//    (uncore_cha_0, _1, ...) the first one stands for all;
//  - names of libpfm4 once per table;
//  - tracepoints and probes not at all, because the kernel takes 30 to 60 ms to close one. They can
//    be opened by whoever may read their ids and may observe the kernel, which is tried with
//    context-switches.
// Never fails: what cannot be read is in `gaps`.
EventCatalog ReadEventCatalog(const HostFs& fs, const CatalogOptions& options = {});

// Whether all events of each set can be counted together here and by this user, in the order of
// `sets`; found by opening as in ReadEventCatalog. The first event that cannot be, else the first
// that can only be counted with less scope, speaks for its set. Sampling is not tried: can_sample
// is false, and no reason for that.
std::vector<Availability> ProbeCounting(const std::vector<std::vector<EventSpec>>& sets,
                                        const HostFs& fs, const EventOpener& open);

// Fills in the descriptions of a tracepoint or probe from its format file: the names of its fields,
// and their types. Costs the kernel 40 us each, so only for those that are shown.
void DescribeTracepoint(CatalogEntry& entry, const HostFs& fs);

}  // namespace prof::perf
