// CRC32C as others compute it.
#include "prof/base/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace prof {
namespace {

TEST(ChecksumTest, MatchesTheKnownVectors) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(Crc32c(std::as_bytes(std::span(digits))), 0xe3069283U);
  // RFC 3720, appendix B.4: 32 bytes of zeroes.
  const std::array<std::byte, 32> zeroes{};
  EXPECT_EQ(Crc32c(zeroes), 0x8a9136aaU);
  EXPECT_EQ(Crc32c({}), 0U);
}

}  // namespace
}  // namespace prof
