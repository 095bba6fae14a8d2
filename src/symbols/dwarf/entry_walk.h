// The way through the entries of a unit that searches for functions and inlined calls share.
#pragma once

#include <dwarf.h>

#include <cstdint>

#include "symbols/dwarf/entry_cursor.h"

namespace prof::symbols {

// Derived decides which entries are entered:
//   bool EntersFunction(entry, nesting)         a subprogram
//   bool EntersInlined(entry, around, nesting)  an inlined call
//   bool EntersBlock(entry)                     a block: false when no wanted code is in it
// and the first two leave in child_ what the entries below are to know. A default Around means
// outside of functions. Functions can be nested in types and in other functions, but hardly ever
// are, and types are most of DWARF: they are entered only with everywhere_.
template <class Derived, class Around>
class EntryWalk {
 protected:
  explicit EntryWalk(const Unit& unit) : unit_(unit), cursor_(unit) {}

  void WalkAll() {
    EntryShape root;
    if (!cursor_.Read(unit_.header().entries, root) || root.abbreviation == nullptr) {
      malformed_ = true;
    } else if (root.abbreviation->children) {
      Walk(root.next, Around{}, 0);
    }
  }

  // Real programs nest below 100 levels; broken DWARF must not exhaust our stack.
  static constexpr int kMaxNesting = 400;

  const Unit& unit_;
  EntryCursor cursor_;
  Around child_{};
  bool everywhere_ = false;
  bool malformed_ = false;

 private:
  // Visits the siblings from `at` on. The position behind the last one, 0 when they are malformed.
  std::uint64_t Walk(std::uint64_t at, Around around, int nesting) {
    EntryShape entry;
    for (;;) {
      if (!cursor_.Read(at, entry)) {
        // Some compilers leave out the mark behind the last entry of a unit.
        malformed_ = malformed_ || at != unit_.header().end || nesting > 1;
        return 0;
      }
      if (entry.abbreviation == nullptr) return entry.next;
      if (nesting < kMaxNesting && Enters(entry, around, nesting) && entry.abbreviation->children) {
        at = Walk(entry.next, child_, nesting + 1);
      } else {
        at = cursor_.Skip(entry);
        malformed_ = malformed_ || at == 0;
      }
      if (at == 0) return 0;
    }
  }

  // Whether the children must be visited, and then, in child_, what they are to know.
  bool Enters(const EntryShape& entry, Around around, int nesting) {
    auto& derived = static_cast<Derived&>(*this);
    child_ = {};
    switch (entry.abbreviation->tag) {
      case DW_TAG_subprogram:
        return derived.EntersFunction(entry, nesting) || everywhere_;
      case DW_TAG_inlined_subroutine:
        return derived.EntersInlined(entry, around, nesting);
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
        child_ = around;
        if (around == Around{} && !everywhere_) return false;
        return everywhere_ || derived.EntersBlock(entry);
      case DW_TAG_namespace:
      case DW_TAG_module:
        return true;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        return everywhere_;
      default:
        return false;
    }
  }
};

}  // namespace prof::symbols
