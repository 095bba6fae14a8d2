// RingBuffer hands out whole records over a fake page, wherever they wrap.
#include "prof/perf/ring_buffer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

namespace prof::perf {
namespace {

constexpr std::size_t kDataBytes = 256;

// The kernel's side of a ring: a metadata page and a small data area.
class FakeRing {
 public:
  FakeRing() : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    words_.resize((page_bytes_ + kDataBytes) / sizeof(std::uint64_t));
  }
  std::span<std::byte> memory() { return std::as_writable_bytes(std::span(words_)); }
  perf_event_mmap_page& page() { return *reinterpret_cast<perf_event_mmap_page*>(memory().data()); }
  void StartAt(std::uint64_t position) { page().data_head = page().data_tail = position; }
  void Put(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      memory()[page_bytes_ + page().data_head++ % kDataBytes] = byte;
    }
  }
  // A record whose payload bytes are `fill`, its header telling `stated_size`.
  void PutRecord(std::uint16_t size, std::uint8_t fill, std::uint16_t stated_size) {
    std::vector<std::byte> record(size, static_cast<std::byte>(fill));
    const perf_event_header header{.type = PERF_RECORD_COMM, .misc = 0, .size = stated_size};
    std::memcpy(record.data(), &header, sizeof header);
    Put(record);
  }
  void PutRecord(std::uint16_t size, std::uint8_t fill) { PutRecord(size, fill, size); }

 private:
  std::size_t page_bytes_;
  std::vector<std::uint64_t> words_;
};

void ExpectRecord(std::span<const std::byte> record, std::size_t size, std::uint8_t fill) {
  ASSERT_EQ(record.size(), size);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record.data()) % 8, 0u);
  for (std::size_t i = sizeof(perf_event_header); i < size; ++i) {
    ASSERT_EQ(static_cast<std::uint8_t>(record[i]), fill) << "byte " << i;
  }
}

TEST(RingBufferTest, EmptyRingHasNothing) {
  FakeRing fake;
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  EXPECT_EQ(ring.data_bytes(), kDataBytes);
  EXPECT_FALSE(ring.Peek(ring.Head()).has_value());
  EXPECT_EQ(ring.malformed(), 0u);
}

TEST(RingBufferTest, ReadsEveryRecordSizeAtEveryOffset) {
  for (std::uint64_t start = 0; start < kDataBytes; start += 8) {
    for (std::uint16_t size = 8; size <= kDataBytes; size += 8) {
      FakeRing fake;
      fake.StartAt(start);
      RingBuffer ring = RingBuffer::OverMemory(fake.memory());
      fake.PutRecord(size, 0x5a);
      const auto record = ring.Peek(ring.Head());
      ASSERT_TRUE(record.has_value()) << "start " << start << " size " << size;
      ExpectRecord(*record, size, 0x5a);
      ring.Pop();
      EXPECT_EQ(fake.page().data_tail, start + size);
      EXPECT_FALSE(ring.Peek(ring.Head()).has_value());
    }
  }
}

TEST(RingBufferTest, ReadsARingThatIsFullToTheLastByte) {
  FakeRing fake;
  fake.StartAt(40);
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  for (std::uint8_t i = 0; i < 8; ++i) fake.PutRecord(32, i);
  const std::uint64_t head = ring.Head();
  for (std::uint8_t i = 0; i < 8; ++i) {
    const auto record = ring.Peek(head);
    ASSERT_TRUE(record.has_value());
    ExpectRecord(*record, 32, i);
    ring.Pop();
  }
  EXPECT_EQ(ring.Tail(), head);
}

TEST(RingBufferTest, KeepsRecordsBehindTheGivenHeadForTheNextPass) {
  FakeRing fake;
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  fake.PutRecord(16, 1);
  const std::uint64_t head = ring.Head();
  fake.PutRecord(16, 2);
  ASSERT_TRUE(ring.Peek(head).has_value());
  ring.Pop();
  EXPECT_FALSE(ring.Peek(head).has_value());
  EXPECT_TRUE(ring.Peek(ring.Head()).has_value());
}

TEST(RingBufferTest, PeekWithoutPopGivesTheSameRecordAgain) {
  FakeRing fake;
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  fake.PutRecord(16, 1);
  EXPECT_EQ(ring.Peek(ring.Head())->data(), ring.Peek(ring.Head())->data());
  EXPECT_EQ(fake.page().data_tail, 0u);
}

TEST(RingBufferTest, GoesOnAtThePositionWherePositionsOverflow64Bits) {
  FakeRing fake;
  fake.StartAt(~std::uint64_t{0} - 15);
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  fake.PutRecord(32, 7);
  const auto record = ring.Peek(ring.Head());
  ASSERT_TRUE(record.has_value());
  ExpectRecord(*record, 32, 7);
  ring.Pop();
  EXPECT_EQ(fake.page().data_tail, 16u);
}

class RingBufferMalformedTest : public testing::TestWithParam<std::uint16_t> {};

TEST_P(RingBufferMalformedTest, DropsEverythingUpToTheHeadAndRecovers) {
  FakeRing fake;
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  fake.PutRecord(16, 1, GetParam());
  fake.PutRecord(16, 2);
  EXPECT_FALSE(ring.Peek(ring.Head()).has_value());
  EXPECT_EQ(ring.malformed(), 1u);
  EXPECT_EQ(fake.page().data_tail, 32u);
  fake.PutRecord(24, 3);
  const auto record = ring.Peek(ring.Head());
  ASSERT_TRUE(record.has_value());
  ExpectRecord(*record, 24, 3);
}

// Zero, shorter than a header, no multiple of 8, longer than what is there, longer than the ring.
INSTANTIATE_TEST_SUITE_P(Sizes, RingBufferMalformedTest, testing::Values(0, 4, 12, 40, 512, 65528));

TEST(RingBufferTest, AHeadFartherThanTheRingIsLongIsMalformed) {
  FakeRing fake;
  RingBuffer ring = RingBuffer::OverMemory(fake.memory());
  fake.page().data_head = kDataBytes + 8;
  EXPECT_FALSE(ring.Peek(ring.Head()).has_value());
  EXPECT_EQ(ring.malformed(), 1u);
}

TEST(RingBufferTest, AMovedRingGoesOnReading) {
  FakeRing fake;
  fake.StartAt(kDataBytes - 8);
  RingBuffer first = RingBuffer::OverMemory(fake.memory());
  fake.PutRecord(16, 1);
  ASSERT_TRUE(first.Peek(first.Head()).has_value());
  RingBuffer second = std::move(first);
  second.Pop();
  EXPECT_EQ(fake.page().data_tail, kDataBytes + 8);
  fake.PutRecord(16, 2);
  ASSERT_TRUE(second.Peek(second.Head()).has_value());
}

}  // namespace
}  // namespace prof::perf
