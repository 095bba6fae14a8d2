// The metrics of prof stat in the list of events.
#pragma once

#include "prof/base/host_fs.h"
#include "prof/perf/event_catalog.h"

namespace prof::tools {

// Appends every metric that prof stat knows (analysis::counts::MetricCatalog) with the events that
// give it on the machine of `fs`: of its alternatives the first that can be counted, else the first
// whose events exist. `open` as in perf::CatalogOptions.
void AddMetrics(const HostFs& fs, const perf::EventOpener& open, perf::EventCatalog& catalog);

}  // namespace prof::tools
