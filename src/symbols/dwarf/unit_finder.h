// Which units contain the wanted addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/dwarf_file.h"
#include "symbols/dwarf/range_list.h"

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

struct UnitCode {
  const Unit* unit = nullptr;     // the skeleton of a split unit
  std::vector<CodeRange> ranges;  // ascending, disjoint
};

// As FindUnits, for all addresses of `wanted` (ascending, disjoint). A range may come out in
// several parts.
std::vector<UnitCode> FindUnitsOfRanges(const DwarfFile& file,
                                        const std::vector<CodeRange>& wanted);

}  // namespace prof::symbols
