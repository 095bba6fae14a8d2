// zlib and zstd, as binutils and LLVM compress debug sections.
#include "unwind/inflate_section.h"

#include <libdeflate.h>
#include <zstd.h>

namespace prof::unwind {

namespace {

bool InflateZlib(std::span<const std::byte> packed, std::span<std::byte> out) {
  libdeflate_decompressor* decompressor = ::libdeflate_alloc_decompressor();
  if (decompressor == nullptr) return false;
  std::size_t size = 0;
  const auto result = ::libdeflate_zlib_decompress(decompressor, packed.data(), packed.size(),
                                                   out.data(), out.size(), &size);
  ::libdeflate_free_decompressor(decompressor);
  return result == LIBDEFLATE_SUCCESS && size == out.size();
}

bool InflateZstd(std::span<const std::byte> packed, std::span<std::byte> out) {
  return ::ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

}  // namespace

std::vector<std::byte> Inflate(const CompressedSection& section) {
  // The unwind information of the largest programs takes some 10 MB. Sizes are the file's word.
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  if (section.size > kMostBytes || section.bytes.empty()) return {};
  std::vector<std::byte> out(section.size);
  const bool good = section.method == CompressedSection::Method::kZlib
                        ? InflateZlib(section.bytes, out)
                        : InflateZstd(section.bytes, out);
  if (!good) out.clear();
  return out;
}

}  // namespace prof::unwind
