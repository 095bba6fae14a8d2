// Which units contain the wanted addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/dwarf_file.h"

#include "prof/model/address.h"

namespace prof::symbols {

struct UnitAddresses {
  const Unit* unit = nullptr;            // the skeleton of a split unit
  std::vector<std::uint64_t> addresses;  // ascending
  std::vector<std::uint32_t> wanted;     // the index in `wanted` of each
};

// By .debug_aranges, and by the units' own ranges where that section is missing or does not list
// them (clang writes none). Addresses that no unit covers are left out. `wanted` ascending.
std::vector<UnitAddresses> FindUnits(const DwarfFile& file,
                                     std::span<const model::FileAddr> wanted);

}  // namespace prof::symbols
