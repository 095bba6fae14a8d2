// Address ranges of entries: low and high addresses, .debug_ranges, .debug_rnglists.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/dwarf/unit.h"

namespace prof::symbols {

struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Appends the ranges of an entry with these attributes to `ranges`, without empty ones and those at
// 0, where linkers leave the code they removed. False when the entry has none of the attributes.
// Stops quietly where a list is malformed, and when `budget` (entries of lists) is used up.
bool ReadRanges(const Unit& unit, const FormValue& low, const FormValue& high,
                const FormValue& list, std::uint64_t& budget, std::vector<CodeRange>& ranges);

}  // namespace prof::symbols
