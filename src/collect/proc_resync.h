// Brings the process table in line with /proc after side-band records were lost.
#pragma once

#include <sys/types.h>

#include "collect/process_table.h"

#include "prof/base/host_fs.h"

namespace prof::collect {

// Adds the threads that started unnoticed, ends those that are gone, and reads names and mappings
// again: what the target looks like now is the best that can be known. `command` is the launched
// command, or 0.
void ResyncWithProc(const HostFs& fs, pid_t command, Following following, ProcessTable& table);

}  // namespace prof::collect
