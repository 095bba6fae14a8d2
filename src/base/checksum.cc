// Computes CRC32C eight bytes at a time from tables.
#include "prof/base/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace prof {
namespace {

static_assert(std::endian::native == std::endian::little);

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b] is the checksum of byte b followed by k zero bytes.
constexpr Tables MakeTables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

std::uint32_t Crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace prof
