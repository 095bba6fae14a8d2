// The head of a recording: the machine it was made on.
#pragma once

#include "prof/base/host_fs.h"
#include "prof/model/record.h"

namespace prof::collect {

// Version, host, CPU and start clocks; the target's fields are left empty.
model::RecordingInfo DescribeHost(const HostFs& fs);

}  // namespace prof::collect
