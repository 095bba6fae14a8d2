// Where the CPUs of this machine sit.
#pragma once

#include <optional>
#include <vector>

#include "prof/analysis/counts/stat_report.h"
#include "prof/base/host_fs.h"

namespace prof::tools {

// Of all CPUs in sysfs, ascending. What a kernel does not tell is 0, as in a machine with one
// socket and node; the core then is the CPU itself.
std::vector<analysis::counts::CpuPlace> ReadTopology(const HostFs& fs);

// What the CPUs can dispatch in a cycle; none where it is not known or they differ.
std::optional<double> ReadSlotsPerCycle(const HostFs& fs);

}  // namespace prof::tools
