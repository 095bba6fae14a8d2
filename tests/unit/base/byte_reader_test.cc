// Checked reading against what ByteWriter wrote.
#include "prof/base/byte_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "prof/base/byte_writer.h"

namespace prof {
namespace {

TEST(ByteReaderTest, ReadsBackWhatWasWritten) {
  ByteWriter writer;
  writer.U8(1);
  writer.U16(0x0203);
  writer.U32(0x04050607);
  writer.U64(0x08090a0b0c0d0e0f);
  writer.Varint(std::numeric_limits<std::uint64_t>::max());
  writer.ZigZag(std::numeric_limits<std::int64_t>::min());
  writer.String("text");
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.U8(), 1);
  EXPECT_EQ(reader.U16(), 0x0203);
  EXPECT_EQ(reader.U32(), 0x04050607u);
  EXPECT_EQ(reader.U64(), 0x08090a0b0c0d0e0fu);
  EXPECT_EQ(reader.Varint(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.ZigZag(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.String(), "text");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(ByteReaderTest, FailureIsStickyAndReadsZero) {
  const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0);
  EXPECT_TRUE(reader.Bytes(1).empty());
}

TEST(ByteReaderTest, RefusesLengthsPastTheEnd) {
  ByteWriter writer;
  writer.Varint(1000);
  writer.U8('x');
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.String(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReaderTest, RefusesVarintsOfMoreThan64Bits) {
  ByteWriter writer;
  for (int i = 0; i < 9; ++i) writer.U8(0xff);
  writer.U8(2);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.Varint(), 0u);
  EXPECT_FALSE(reader.ok());
}

// The examples of DWARF 5, table 7.8.
TEST(ByteReaderTest, ReadsTheSignedNumbersOfDwarf) {
  const std::vector<std::pair<std::vector<int>, std::int64_t>> examples = {
      {{2}, 2},         {{0x7e}, -2},         {{0xff, 0}, 127}, {{0x81, 0x7f}, -127},
      {{0x80, 1}, 128}, {{0x80, 0x7f}, -128}, {{0x81, 1}, 129}, {{0xff, 0x7e}, -129}};
  for (const auto& [bytes, value] : examples) {
    ByteWriter writer;
    for (const int byte : bytes) writer.U8(static_cast<std::uint8_t>(byte));
    ByteReader reader(writer.bytes());
    EXPECT_EQ(reader.SignedLeb(), value);
    EXPECT_TRUE(reader.ok());
  }
  const std::byte endless[] = {std::byte{0x80}, std::byte{0x80}};
  ByteReader reader(endless);
  reader.SignedLeb();
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReaderTest, AnEndlessVarintFails) {
  ByteWriter writer;
  for (int i = 0; i < 20; ++i) writer.U8(0x80);
  ByteReader reader(writer.bytes());
  reader.Varint();
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace prof
