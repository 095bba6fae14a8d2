// Which events `prof stat` counts: those asked for, else the usual ones.
#pragma once

#include <string>
#include <vector>

#include "stat_arguments.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/perf/event_spec.h"

namespace prof::tools {

struct StatEvents {
  std::vector<perf::EventSpec> specs;
  std::vector<std::string> notes;  // metrics that this machine has no events for, one each
};

// Those of -e; those of -M and --topdown; with neither perf's defaults (is_default). -d adds to
// them. duration_time, user_time and system_time are no events here: they are always measured, and
// pass without a word. Unsupported metrics are notes, an error when there is nothing else to count.
Result<StatEvents> ChooseEvents(const EventChoice& choice, const HostFs& fs);

}  // namespace prof::tools
