// What a target stands for on this machine now: its threads, its CPUs.
#pragma once

#include <sys/types.h>

#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/collect/record_options.h"

namespace prof::collect {

// Leaves in `online` only the wanted CPUs (all when `wanted` is empty). kUsage when one is not
// online.
Status NarrowCpus(const std::vector<int>& wanted, std::vector<int>& online);

// The threads that are there now: of the target's processes and, with `children`, of all their
// descendants, and the threads named one by one. kNotFound when something that was named is gone.
Result<std::vector<pid_t>> ThreadsOf(const RecordTarget& target, bool children, const HostFs& fs);

}  // namespace prof::collect
