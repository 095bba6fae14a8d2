// Columns come back as they were, in the encoding that suits them.
#include "store/column_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "store/table.h"

namespace prof::store {
namespace {

using Values = std::vector<std::uint64_t>;

struct Encoded {
  Encoding encoding;
  std::size_t data_bytes;
};

// Encodes with `key` as column 0, expects to get the values back, and tells how they were stored.
Encoded RoundTrip(const Values& values, const ColumnSpec& spec = {}, const Values& key = {}) {
  ByteWriter out;
  EncodeColumn(values, key, spec, out);
  ByteReader in(out.bytes());
  const auto encoding = static_cast<Encoding>(in.U8());
  const auto data = in.Bytes(in.Varint());
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0u);
  const std::vector<Values> earlier = {key};
  Values decoded(values.size());
  EXPECT_TRUE(DecodeColumn(encoding, ByteReader(data), earlier, decoded));
  EXPECT_EQ(decoded, values);
  return {encoding, data.size()};
}

TEST(ColumnCodecTest, ConstantColumnIsOneNumber) {
  const Encoded encoded = RoundTrip(Values(1000, 77));
  EXPECT_EQ(encoded.encoding, Encoding::kConstant);
  EXPECT_EQ(encoded.data_bytes, 1u);
}

TEST(ColumnCodecTest, DenseIdsAreTwoNumbers) {
  Values ids;
  for (std::uint64_t id = 16; id < 1016; ++id) ids.push_back(id);
  const Encoded encoded = RoundTrip(ids);
  EXPECT_EQ(encoded.encoding, Encoding::kLinear);
  EXPECT_EQ(encoded.data_bytes, 2u);
}

TEST(ColumnCodecTest, LongRunsAreCounted) {
  Values values(500, 3);
  values.resize(1000, 900);
  EXPECT_EQ(RoundTrip(values).encoding, Encoding::kRuns);
}

TEST(ColumnCodecTest, InterleavedCpusAreToldApart) {
  Values cpus;
  Values times;
  for (std::uint64_t i = 0; i < 400; ++i) {
    cpus.push_back(i % 2);
    times.push_back(5'000'000'000 + (i % 2) * 321'000 + i / 2 * 1'003'009 + i * 7919 % 1000);
  }
  const ColumnSpec spec{.special = Encoding::kGroupedDelta, .key = 0};
  const Encoded encoded = RoundTrip(times, spec, cpus);
  EXPECT_EQ(encoded.encoding, Encoding::kGroupedDelta);
  EXPECT_LT(encoded.data_bytes, 2 * times.size() + 16);
}

TEST(ColumnCodecTest, NewIdsAreSmallNumbers) {
  Values stacks;
  for (std::uint64_t i = 0; i < 100; ++i) stacks.push_back(100'000 + i * 3 + i % 2);
  const Encoded encoded = RoundTrip(stacks, {.special = Encoding::kBelowMax});
  EXPECT_LT(encoded.data_bytes, stacks.size() + 8);
}

TEST(ColumnCodecTest, AnyNumbersSurviveEveryEncoding) {
  std::mt19937_64 random(9);
  for (const Encoding special :
       {Encoding::kVarint, Encoding::kBelowMax, Encoding::kGroupedDelta, Encoding::kFromColumn}) {
    for (int round = 0; round < 50; ++round) {
      Values key(1 + random() % 50);
      for (auto& value : key) value = random() >> (random() % 64);
      Values values = key;
      for (auto& value : values) {
        if (random() % 3 == 0) value = random() >> (random() % 64);
      }
      const bool keyed = special == Encoding::kGroupedDelta || special == Encoding::kFromColumn;
      RoundTrip(values, {.special = special, .key = keyed ? std::uint8_t{0} : kNoKey}, key);
    }
  }
  RoundTrip({0, std::numeric_limits<std::uint64_t>::max(), 0, 1});
}

TEST(ColumnCodecTest, DataOfTheWrongLengthIsRefused) {
  const Values columns[1];
  Values rows(3);
  const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const auto decode = [&](Encoding encoding, std::size_t size) {
    return DecodeColumn(encoding, ByteReader(std::span(bytes).first(size)), columns, rows);
  };
  EXPECT_TRUE(decode(Encoding::kVarint, 3));
  EXPECT_FALSE(decode(Encoding::kVarint, 2));
  EXPECT_FALSE(decode(Encoding::kVarint, 4));
  EXPECT_FALSE(decode(Encoding::kConstant, 2));
  EXPECT_FALSE(decode(Encoding::kRuns, 4));        // 2 + 4 rows
  EXPECT_FALSE(decode(Encoding::kFromColumn, 4));  // no such column
  EXPECT_FALSE(decode(static_cast<Encoding>(99), 3));
}

TEST(TableTest, RefusesTwiceTheSameColumnAndValuesAboveTheLimit) {
  const ColumnSpec spec[] = {{.max = 5}, {}};
  const auto decode = [&](std::initializer_list<int> raw) {
    std::vector<std::byte> bytes;
    for (const int byte : raw) bytes.push_back(static_cast<std::byte>(byte));
    Table table;
    bool unsupported = false;
    return table.Decode(ByteReader(bytes), spec, &unsupported) && !unsupported;
  };
  EXPECT_TRUE(decode({2, 0, 0, 1, 5}));
  EXPECT_FALSE(decode({2, 0, 0, 1, 6}));
  EXPECT_FALSE(decode({2, 0, 0, 1, 5, 0, 0, 1, 5}));
  EXPECT_TRUE(decode({2, 40, 0, 1, 5}));           // a later version's column
  EXPECT_FALSE(decode({2, 41, 0, 1, 5}));          // one that must be known
  EXPECT_FALSE(decode({0xff, 0xff, 0xff, 0x7f}));  // more rows than a table may have
}

}  // namespace
}  // namespace prof::store
