// Checks the file header and names what is not a profile.
#include "store/file_magic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "store/format.h"

#include "prof/base/byte_reader.h"
#include "prof/base/checksum.h"

namespace prof::store {
namespace {

struct ForeignFile {
  std::string_view magic;
  std::string_view what;
  std::string_view hint;  // {} is the file's name
};

constexpr ForeignFile kForeignFiles[] = {
    {"PERFILE2", "a perf.data file", "perf report -i {}"},
    {"2ELIFREP", "a perf.data file of a machine with the other byte order", "perf report -i {}"},
    {"PERFFILE", "a perf.data file of a very old perf", "perf report -i {}"},
    {"\x7f"
     "ELF",
     "an ELF program or library", "prof record {}"},
    {"\x1f\x8b", "gzip-compressed (a pprof profile is)", "go tool pprof {}"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed", "zstd -d {}"},
    {"\xfd"
     "7zXZ",
     "xz-compressed", "xz -d {}"},
    {"SQLite format 3", "an SQLite database", ""},
    {"{", "a JSON file", ""},
};

std::unexpected<Error> NotAProfile(std::span<const std::byte> head, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (const ForeignFile& foreign : kForeignFiles) {
    if (!text.starts_with(foreign.magic)) continue;
    return Fail(
        ErrorKind::kBadData, fmt::format("{}: is {}, not a profile of prof", name, foreign.what),
        foreign.hint.empty() ? std::string() : fmt::format(fmt::runtime(foreign.hint), name));
  }
  return Fail(ErrorKind::kBadData, fmt::format("{}: not a profile of prof", name));
}

}  // namespace

Result<std::uint32_t> CheckFileHeader(std::span<const std::byte> head, const std::string& name) {
  if (head.empty()) {
    return Fail(ErrorKind::kBadData, fmt::format("{}: is empty: nothing was recorded", name));
  }
  const auto magic = std::as_bytes(std::span(kFileMagic));
  const std::size_t shared = std::min(head.size(), magic.size());
  if (!std::ranges::equal(head.first(shared), magic.first(shared))) return NotAProfile(head, name);
  if (head.size() < kFileHeaderBytes) {
    return Fail(ErrorKind::kBadData,
                fmt::format("{}: ends within the file header, after {} bytes", name, head.size()));
  }
  const auto header = head.first(kFileHeaderBytes);
  ByteReader in(header);
  in.Skip(magic.size());
  const std::uint32_t version = in.U32();
  const std::uint32_t header_bytes = in.U32();
  const std::uint64_t required = in.U64();
  in.Skip(sizeof(std::uint64_t) + sizeof(std::uint32_t));
  if (in.U32() != Crc32c(header.first(kFileHeaderBytes - 4)) || header_bytes < kFileHeaderBytes ||
      header_bytes > kMaxFileHeaderBytes || version == 0) {
    return Fail(ErrorKind::kBadData, fmt::format("{}: the file header is damaged", name));
  }
  if (version > kFormatVersion) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("{}: written by a newer prof (file version {}, this one reads up to {})", name,
                    version, kFormatVersion));
  }
  if ((required & ~kKnownRequiredFeatures) != 0) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: written by a newer prof (needs features {:#x})", name,
                            required & ~kKnownRequiredFeatures));
  }
  return header_bytes;
}

}  // namespace prof::store
