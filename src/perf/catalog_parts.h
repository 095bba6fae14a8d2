// The parts of the catalogue, one function for each place where events are described.
#pragma once

#include <string_view>
#include <vector>

#include "perf/availability_probe.h"

#include "prof/base/host_fs.h"
#include "prof/perf/event_catalog.h"

namespace prof::perf {

// Generic hardware, cache and software events.
void AddGenericEvents(const AvailabilityProbe& probe, EventCatalog& catalog);

// The events of sysfs, and for each PMU with parameters how to write one by hand.
void AddPmuEvents(const HostFs& fs, const AvailabilityProbe& probe, EventCatalog& catalog);

// Tracepoints and probes.
void AddTracepoints(const HostFs& fs, const AvailabilityProbe& probe, EventCatalog& catalog);

// Names of libpfm4 for the PMUs of the machine that runs this.
void AddPfmEvents(const AvailabilityProbe& probe, EventCatalog& catalog);

}  // namespace prof::perf
