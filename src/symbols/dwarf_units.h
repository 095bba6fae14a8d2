// Which compilation units contain the wanted addresses.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <span>
#include <vector>

#include "prof/model/address.h"

namespace prof::symbols {

struct UnitAddresses {
  Dwarf_Die unit{};                      // the unit's own entry (the skeleton of a split unit)
  std::vector<std::uint64_t> addresses;  // ascending
  std::vector<std::uint32_t> wanted;     // the index in `wanted` of each
};

// By .debug_aranges, and by the units' own ranges where that section is missing or does not list
// them (clang writes none). Addresses that no unit covers are left out.
std::vector<UnitAddresses> FindUnits(Dwarf* dwarf, std::span<const model::FileAddr> wanted);

}  // namespace prof::symbols
