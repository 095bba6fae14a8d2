// Events of the PMUs that the kernel describes in /sys/bus/event_source/devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

// `pmu`/`terms`/: a name such as "cpu", or one that stands for several ("uncore_imc" for
// uncore_imc_0, ..., globs), with terms such as "event=0x3c,umask=1" or the name of a file in its
// events folder. One event per PMU.
Result<std::vector<EventSpec>> ParsePmuEvent(std::string_view pmu, std::string_view terms,
                                             const HostFs& fs);

// The folders of /sys/bus/event_source/devices, sorted, and the path of one.
std::vector<std::string> PmuNames(const HostFs& fs);
std::string PmuPath(std::string_view pmu);

// True for the PMU of the CPUs themselves, or of one kind of them: "cpu", and where the kinds
// differ those with a file "cpus" (cpu_core, cpu_atom, armv8_cortex_a53).
bool IsCorePmu(const std::string& pmu, const HostFs& fs);

// The names in a PMU's events folder, sorted, without the ".unit" and ".scale" files beside them.
std::vector<std::string> PmuEvents(const std::string& pmu, const HostFs& fs);

// How to read the raw counts of an event: multiplied by `factor` they are `unit`. From the files
// NAME.scale and NAME.unit beside the event; a factor that is no number above 0 is not used, and
// its unit neither.
struct EventScale {
  double factor = 1;
  std::string unit;  // "Joules"; empty: plain events
};
EventScale ReadEventScale(const std::string& pmu, std::string_view event, const HostFs& fs);

// The PMUs that have an event of this name, so that it can be written without the PMU.
std::vector<std::string> PmusWithEvent(std::string_view name, const HostFs& fs);

// The events of all PMUs, without their PMU.
std::vector<std::string> PmuEventNames(const HostFs& fs);

}  // namespace prof::perf
