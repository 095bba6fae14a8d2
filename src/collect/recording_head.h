// What is known of a recording when it begins.
#pragma once

#include <string>
#include <vector>

#include "collect/attr_plan.h"
#include "collect/event_set.h"

#include "prof/base/host_fs.h"
#include "prof/collect/record_options.h"
#include "prof/model/record.h"

namespace prof::collect {

model::RecordingInfo DescribeRecording(const RecordOptions& options, const AttrPlan& plan,
                                       bool cpu_wide, const HostFs& fs);

// For people (-v): events, rings, and how they are opened.
std::vector<std::string> DescribeSampling(EventSet& events, bool cpu_wide, bool whole_cpus);

}  // namespace prof::collect
