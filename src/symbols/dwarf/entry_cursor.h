// Entries of a unit one after another, as they are stored: the tree in preorder.
#pragma once

#include <cstdint>

#include "symbols/dwarf/unit.h"

namespace prof::symbols {

// One entry, with only what a walk needs of it.
struct EntryShape {
  const Abbreviation* abbreviation = nullptr;  // null: the end of a list of children
  std::uint64_t offset = 0;
  std::uint64_t next = 0;     // behind its attributes: the first child, or the next sibling
  std::uint64_t sibling = 0;  // DW_AT_sibling; 0: not stated, or not ahead
  FormValue low;              // read where the abbreviation may have code
  FormValue high;
  FormValue ranges;
};

// Positions only ever grow, so no input keeps a walk from ending. Nothing but the unit's own bytes
// is read.
class EntryCursor {
 public:
  explicit EntryCursor(const Unit& unit);

  // False behind the last entry and where an entry is malformed.
  bool Read(std::uint64_t offset, EntryShape& entry) const;
  // Behind the entry and everything below it; 0 when malformed.
  [[nodiscard]] std::uint64_t Skip(const EntryShape& entry) const;

 private:
  bool ReadAttributes(ByteReader& reader, EntryShape& entry) const;

  const Unit& unit_;
  const Abbreviations& abbreviations_;
};

}  // namespace prof::symbols
