// The last block of a finished file: where every block is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prof/base/byte_writer.h"
#include "prof/model/record.h"

namespace prof::store {

struct IndexEntry {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t epoch = 0;
  std::uint32_t samples = 0;
  std::uint64_t begin_ns = model::kUnknownTime;  // of the samples
  std::uint64_t end_ns = model::kUnknownTime;
};

// Appends the payload, which is stored uncompressed and ends with the trailer.
void EncodeIndex(std::span<const IndexEntry> blocks, ByteWriter& out);
// False when malformed.
bool DecodeIndex(std::span<const std::byte> payload, std::vector<IndexEntry>* blocks);

}  // namespace prof::store
