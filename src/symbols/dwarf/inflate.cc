// Unpacks debug sections with libdeflate and zstd. libelf could do the first with zlib, which takes
// more than twice as long, and on one thread.
#include "symbols/dwarf/inflate.h"

#include <elf.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "prof/base/byte_reader.h"

namespace prof::symbols {
namespace {

// The best ratio of deflate is 1032; zstd may exceed it only on data no compiler writes.
constexpr std::uint64_t kMaxRatio = 1040;
constexpr std::uint64_t kAlwaysAllowed = 1 << 20;

std::uint64_t BigEndian64(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes.first(8)) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    ::libdeflate_free_decompressor(decompressor);
  }
};

Result<std::size_t> UnpackZlib(const PackedSection& section, std::byte* out) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      ::libdeflate_alloc_decompressor());
  if (decompressor == nullptr) return Fail(ErrorKind::kBadData, "no memory to unpack zlib data");
  std::size_t written = 0;
  if (::libdeflate_zlib_decompress(decompressor.get(), section.bytes.data(), section.bytes.size(),
                                   out, section.size, &written) != LIBDEFLATE_SUCCESS) {
    return Fail(ErrorKind::kBadData, "broken zlib data");
  }
  return written;
}

}  // namespace

Result<PackedSection> DescribeSection(const ElfFile& file, const ElfSection& section) {
  const std::string_view text = file.Bytes(section);
  const auto all = std::as_bytes(std::span(text.data(), text.size()));
  PackedSection packed{.bytes = all, .size = all.size()};
  const std::string where = file.name() + ": " + std::string(section.name);
  std::uint64_t size = all.size();
  if ((section.flags & SHF_COMPRESSED) != 0) {
    ByteReader reader(all);
    const std::uint32_t method = reader.U32();
    if (file.is_64_bit()) reader.Skip(4);
    size = file.is_64_bit() ? reader.U64() : reader.U32();
    reader.Skip(file.is_64_bit() ? 8 : 4);  // alignment
    if (!reader.ok()) return Fail(ErrorKind::kBadData, where + ": cut compression header");
    constexpr std::uint32_t kMethodZstd = 2;  // ELFCOMPRESS_ZSTD, younger than Debian 12's elf.h
    if (method != ELFCOMPRESS_ZLIB && method != kMethodZstd) {
      return Fail(ErrorKind::kBadData,
                  where + ": compression method " + std::to_string(method) + " is unknown");
    }
    packed.packing = method == kMethodZstd ? Packing::kZstd : Packing::kZlib;
    packed.bytes = all.subspan(reader.position());
  } else if (section.name.starts_with(".zdebug")) {
    constexpr std::size_t kHeader = 12;
    if (all.size() < kHeader || std::memcmp(all.data(), "ZLIB", 4) != 0) {
      return Fail(ErrorKind::kBadData, where + ": no ZLIB header");
    }
    size = BigEndian64(all.subspan(4));
    packed.packing = Packing::kZlib;
    packed.bytes = all.subspan(kHeader);
  }
  if (packed.packing != Packing::kNone &&
      size / kMaxRatio > packed.bytes.size() + kAlwaysAllowed / kMaxRatio) {
    return Fail(ErrorKind::kBadData, where + ": claims " + std::to_string(size) + " bytes");
  }
  packed.size = static_cast<std::size_t>(size);
  return packed;
}

Result<OwnedBytes> Unpack(const PackedSection& section) {
  OwnedBytes result{std::unique_ptr<std::byte[]>(
                        new (std::nothrow) std::byte[std::max<std::size_t>(section.size, 1)]),
                    section.size};
  if (result.data == nullptr) {
    return Fail(ErrorKind::kBadData, "no memory for " + std::to_string(section.size) + " bytes");
  }
  std::size_t written = 0;
  if (section.packing == Packing::kZstd) {
    written = ::ZSTD_decompress(result.data.get(), result.size, section.bytes.data(),
                                section.bytes.size());
    if (::ZSTD_isError(written)) {
      return Fail(ErrorKind::kBadData,
                  std::string("broken zstd data: ") + ::ZSTD_getErrorName(written));
    }
  } else {
    PROF_TRY_ASSIGN(written, UnpackZlib(section, result.data.get()));
  }
  if (written != result.size) return Fail(ErrorKind::kBadData, "unpacks to another size");
  return result;
}

}  // namespace prof::symbols
