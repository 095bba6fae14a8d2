// Events of the hardware's address watch registers.
#pragma once

#include <string_view>

#include "prof/base/result.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

// "mem:ADDR[/LEN][:rwx][:modifiers]"
Result<EventSpec> ParseBreakpoint(std::string_view text);

}  // namespace prof::perf
