// The names that mean the same on every machine: hardware, cache and software events.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/perf/event_spec.h"

namespace prof::perf {

// "cycles", "L1-dcache-load-misses", "page-faults", ...; nothing when the name is none of these.
std::optional<EventSpec> FindGenericEvent(std::string_view name);

// Raw "rNNN", hexadecimal.
std::optional<EventSpec> FindRawEvent(std::string_view name);

// All names of FindGenericEvent in their usual spelling.
std::vector<std::string> GenericEventNames();

}  // namespace prof::perf
