// How DWARF encodes the values of attributes (DWARF 5, section 7.5.6, and the GNU forms).
#pragma once

#include <cstddef>
#include <cstdint>

#include "prof/base/byte_reader.h"

namespace prof::symbols {

// What the size of some forms depends on.
struct UnitSizes {
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 0;  // 4 or 8
  std::uint8_t offset_bytes = 0;   // 4, or 8 in 64-bit DWARF
  friend bool operator==(const UnitSizes&, const UnitSizes&) = default;
};

// A value as it is stored; Unit turns it into an address, a string or a reference.
struct FormValue {
  std::uint16_t form = 0;    // DW_FORM_*; 0: the attribute is missing
  std::uint64_t number = 0;  // constant, offset, index or address; for DW_FORM_string and blocks
                             // the position in the reader's bytes
};

constexpr int kVariableSize = -1;
constexpr int kUnknownForm = -2;
// Bytes of a value of this form, or one of the above.
int FormSize(std::uint16_t form, const UnitSizes& sizes);

// Reads one value. A form that is unknown makes the reader fail.
FormValue ReadForm(ByteReader& reader, std::uint16_t form, std::int64_t implicit_const,
                   const UnitSizes& sizes);

// An unsigned number of 1, 2, 3, 4 or 8 bytes.
std::uint64_t ReadFixed(ByteReader& reader, int bytes);

}  // namespace prof::symbols
