// Tracepoints of the kernel, found by name in tracefs.
#pragma once

#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

// "system" and "name" may be globs. kPermission when tracefs cannot be read, kUnsupported when it
// is not mounted, kNotFound when nothing matches.
Result<std::vector<EventSpec>> FindTracepoints(const std::string& system, const std::string& name,
                                               const HostFs& fs);

// The folder of all systems of tracepoints, from where this kernel has mounted tracefs.
Result<std::string> TracepointsFolder(const HostFs& fs);

// "system:name" of all tracepoints, sorted by system; nothing when they cannot be read.
std::vector<std::string> TracepointNames(const HostFs& fs);

}  // namespace prof::perf
