// What DW_AT_producer says about how a unit was compiled.
#pragma once

#include <string_view>

#include "symbols/dwarf/unit.h"

namespace prof::symbols {

// Whether the compiler noted its options there and none of them asks it to optimize, as in
// "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g". GCC does unless -gno-record-gcc-switches, clang
// with -grecord-command-line. False where that cannot be told: no options, other compilers, and
// link-time optimization (GIMPLE), whose options are those of the link.
bool SaysUnoptimized(std::string_view producer);
// The same of the root entry of a unit.
bool SaysUnoptimized(const Unit& unit);

}  // namespace prof::symbols
