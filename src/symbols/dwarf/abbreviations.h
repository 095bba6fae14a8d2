// The shapes of debug entries: .debug_abbrev.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/forms.h"

namespace prof::symbols {

struct AttributeSpec {
  std::uint16_t name = 0;  // DW_AT_*
  std::uint16_t form = 0;
  std::int64_t implicit_const = 0;
};

struct Abbreviation {
  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  bool children = false;
  bool code_ranges = false;  // a function, inlined call or block that may state where its code is
  std::uint32_t first_spec = 0;
  std::uint32_t spec_count = 0;
  // So that entries of no interest cost an addition: the bytes of all attributes, and where among
  // them a DW_AT_sibling of 4 bytes stands. kVariableSize: not the same for every entry.
  std::int32_t bytes = kVariableSize;
  std::int32_t sibling_at = kVariableSize;
};

// One table. Immutable.
class Abbreviations {
 public:
  // Empty when malformed; tables end where they cannot be read on.
  static Abbreviations Read(std::span<const std::byte> section, std::uint64_t offset,
                            const UnitSizes& sizes);

  [[nodiscard]] const Abbreviation* Find(std::uint64_t code) const {
    // Compilers number them from 1 on.
    if (code - 1 < all_.size() && all_[code - 1].code == code) return &all_[code - 1];
    return FindSparse(code);
  }
  [[nodiscard]] std::span<const AttributeSpec> Specs(const Abbreviation& abbreviation) const {
    return std::span(specs_).subspan(abbreviation.first_spec, abbreviation.spec_count);
  }

 private:
  [[nodiscard]] const Abbreviation* FindSparse(std::uint64_t code) const;
  void Add(Abbreviation abbreviation, const UnitSizes& sizes);

  std::vector<Abbreviation> all_;
  std::vector<AttributeSpec> specs_;
  bool dense_ = true;
  std::vector<std::uint32_t> by_code_;  // indexes of all_, when codes have gaps
};

}  // namespace prof::symbols
