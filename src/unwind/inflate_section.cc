// zlib and zstd, as binutils and LLVM compress debug sections.
#include "unwind/inflate_section.h"

#include <zlib.h>
#include <zstd.h>

namespace prof::unwind {

namespace {

bool InflateZlib(std::span<const std::byte> packed, std::span<std::byte> out) {
  uLongf size = out.size();
  const int result = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                  reinterpret_cast<const Bytef*>(packed.data()),
                                  static_cast<uLong>(packed.size()));
  return result == Z_OK && size == out.size();
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
