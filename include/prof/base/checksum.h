// CRC32C, the checksum of profile files (headers, payloads) and of the sources named in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prof {

// Castagnoli polynomial, reflected, initial value and final xor 0xffffffff, as in iSCSI (RFC 3720)
// and ext4.
[[nodiscard]] std::uint32_t Crc32c(std::span<const std::byte> bytes);

}  // namespace prof
