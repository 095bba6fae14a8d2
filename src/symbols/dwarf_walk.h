// The walk over one compilation unit that finds functions and inlined calls around addresses.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <span>
#include <vector>

namespace prof::symbols {

struct FunctionChain {
  std::vector<Dwarf_Die>
      entries;              // the subprogram, then inlined subroutines from outside to inside
  std::uint64_t begin = 0;  // the range of the subprogram that contains the address
  std::uint64_t end = 0;
};

// One chain per address (ascending); empty where the unit has no function.
std::vector<FunctionChain> WalkUnit(Dwarf_Die unit, std::span<const std::uint64_t> addresses);

}  // namespace prof::symbols
