// The walk over one unit that finds the functions and inlined calls of whole ranges of code.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/dwarf/range_list.h"
#include "symbols/dwarf/unit.h"

namespace prof::symbols {

// Code that an entry covers: of a subprogram (depth 0), or of a call inlined at `depth`.
struct CoveredCode {
  Entry entry;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t depth = 0;
};

struct UnitRanges {
  // As the entries are stored. Those of one depth do not overlap, and each lies within one of the
  // depth above.
  std::vector<CoveredCode> functions;
  std::vector<CoveredCode> inlined;
  bool malformed = false;  // the entries could not be read to their end
};

// `wanted` ascending and disjoint; what covers two neighbours of it comes out in two parts. For
// each address in it the entries around it are those of WalkUnit(). The work is bounded by the size
// of the unit and its range lists.
UnitRanges WalkUnitRanges(const Unit& unit, const std::vector<CodeRange>& wanted);

}  // namespace prof::symbols
