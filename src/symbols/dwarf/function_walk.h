// The walk over one unit that finds functions and inlined calls around addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/unit.h"

namespace prof::symbols {

struct FunctionChain {
  std::vector<Entry> entries;  // the subprogram, then inlined subroutines from outside to inside
  std::uint64_t begin = 0;     // the range of the subprogram that contains the address
  std::uint64_t end = 0;
};

struct UnitFunctions {
  std::vector<FunctionChain> chains;  // one per address; empty where the unit has no function
  bool malformed = false;             // the entries could not be read to their end
};

// `addresses` ascending. The work is bounded by the size of the unit and its range lists.
UnitFunctions WalkUnit(const Unit& unit, std::span<const std::uint64_t> addresses);

}  // namespace prof::symbols
