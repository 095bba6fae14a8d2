// Compressed debug sections.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "symbols/elf_file.h"

#include "prof/base/result.h"

namespace prof::symbols {

struct OwnedBytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
};

// How a section is packed: SHF_COMPRESSED with an Elf32/64_Chdr (gABI; zlib or zstd), or the older
// ".zdebug_*" of GNU with "ZLIB" and a big-endian size in front.
enum class Packing : std::uint8_t { kNone, kZlib, kZstd };

struct PackedSection {
  Packing packing = Packing::kNone;
  std::span<const std::byte> bytes;  // borrowed from the file, without the header
  std::size_t size = 0;              // when unpacked, as the header says; bounded by what the bytes
                                     // could hold
};

// Reads the header only. Fails for unknown methods and sizes that no stream of this length reaches.
Result<PackedSection> DescribeSection(const ElfFile& file, const ElfSection& section);

// Thread-safe, as libelf is not. `packing` is not kNone. Fails unless exactly `size` bytes come
// out.
Result<OwnedBytes> Unpack(const PackedSection& section);

}  // namespace prof::symbols
