// One column of numbers to bytes and back.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "store/format.h"

#include "prof/base/byte_reader.h"
#include "prof/base/byte_writer.h"

namespace prof::store {

inline constexpr std::uint8_t kNoKey = 0xff;

// What both sides know of a column. The key names an earlier column of the same table.
struct ColumnSpec {
  std::uint64_t missing = 0;  // value of every row when the column is not in the file
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();  // larger ones are refused
  Encoding special = Encoding::kVarint;  // what the writer tries beside the plain encodings
  std::uint8_t key = kNoKey;             // of kFromColumn and kGroupedDelta
};

using ColumnValues = std::span<const std::uint64_t>;

// Appends encoding, length and data in the encoding that needs the fewest bits. `values` must not
// be empty. `key` is the column that spec.key names, or empty.
void EncodeColumn(ColumnValues values, ColumnValues key, const ColumnSpec& spec, ByteWriter& out);

// The columns decoded so far, by column id.
using DecodedColumns = std::span<const std::vector<std::uint64_t>>;

// Decodes `values.size()` rows. False when the data is malformed, too short or too long.
bool DecodeColumn(Encoding encoding, ByteReader in, DecodedColumns earlier,
                  std::span<std::uint64_t> values);

}  // namespace prof::store
