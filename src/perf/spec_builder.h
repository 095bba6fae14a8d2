// Makes EventSpecs and applies what follows the name of an event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "prof/base/result.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

EventSpec MakeSpec(std::uint32_t type, std::uint64_t config, std::string name);

// True for text that can only be modifiers: not empty, and each letter is one.
bool LooksLikeModifiers(std::string_view text);

// Applies modifier letters with perf's meaning: u, k, h sample only these levels, G and H only
// guest or host, I leaves idle out, p and P ask for precision, D pins, e is exclusive, S samples
// only the leader.
Status ApplyModifiers(std::string_view letters, EventSpec& spec);

// `name` with `letters` added to its modifiers: "cycles" -> "cycles:u", "cycles:p" -> "cycles:pu",
// "cpu/event=1/" -> "cpu/event=1/u".
std::string WithModifiers(const std::string& name, std::string_view letters);

}  // namespace prof::perf
