// The decoder reads every PERF_SAMPLE_* field, alone and with all others, and every read_format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "record_builder.h"

#include "prof/perf/record_decoder.h"

namespace prof::perf {
namespace {

using testing::ElementsAre;

// A new sample bit needs a field here, in SampleRecord and in the decoder.
static_assert(PERF_SAMPLE_MAX == 1U << 25, "the header knows more PERF_SAMPLE_* bits");
static_assert(PERF_FORMAT_MAX == 1U << 5, "the header knows more PERF_FORMAT_* bits");

constexpr std::uint64_t kRegistersUser = 0b1011;
constexpr std::uint64_t kRegistersIntr = 0b11;
// WEIGHT and WEIGHT_STRUCT share one field, and the kernel allows only one of them.
constexpr std::uint64_t kAllBits =
    (PERF_SAMPLE_MAX - 1) & ~std::uint64_t{PERF_SAMPLE_WEIGHT_STRUCT};

// Writes what the kernel would for `layout`; each field has a value of its own.
void WriteSample(RecordBuilder& out, const RecordLayout& layout) {
  const auto has = [&](std::uint64_t bits) { return (layout.sample_type & bits) != 0; };
  if (has(PERF_SAMPLE_IDENTIFIER)) out.U64(100);
  if (has(PERF_SAMPLE_IP)) out.U64(101);
  if (has(PERF_SAMPLE_TID)) out.U32(102).U32(103);
  if (has(PERF_SAMPLE_TIME)) out.U64(104);
  if (has(PERF_SAMPLE_ADDR)) out.U64(105);
  if (has(PERF_SAMPLE_ID)) out.U64(100);
  if (has(PERF_SAMPLE_STREAM_ID)) out.U64(107);
  if (has(PERF_SAMPLE_CPU)) out.U32(108).U32(0xdead);
  if (has(PERF_SAMPLE_PERIOD)) out.U64(109);
  if (has(PERF_SAMPLE_READ)) out.U64(110);
  if (has(PERF_SAMPLE_CALLCHAIN)) out.U64(2).U64(PERF_CONTEXT_USER).U64(111);
  if (has(PERF_SAMPLE_RAW)) out.U32(12).U32(1).U32(2).U32(3);
  if (has(PERF_SAMPLE_BRANCH_STACK)) out.U64(1).U64(112).U64(113).U64(114);
  if (has(PERF_SAMPLE_REGS_USER)) {
    out.U64(PERF_SAMPLE_REGS_ABI_64).U64(115).U64(116).U64(117);
  }
  if (has(PERF_SAMPLE_STACK_USER)) out.U64(16).U64(118).U64(119).U64(10);
  if (has(PERF_SAMPLE_WEIGHT_TYPE)) out.U64(120);
  if (has(PERF_SAMPLE_DATA_SRC)) out.U64(121);
  if (has(PERF_SAMPLE_TRANSACTION)) out.U64(122);
  if (has(PERF_SAMPLE_REGS_INTR)) out.U64(PERF_SAMPLE_REGS_ABI_32).U64(123).U64(124);
  if (has(PERF_SAMPLE_PHYS_ADDR)) out.U64(125);
  if (has(PERF_SAMPLE_CGROUP)) out.U64(126);
  if (has(PERF_SAMPLE_DATA_PAGE_SIZE)) out.U64(127);
  if (has(PERF_SAMPLE_CODE_PAGE_SIZE)) out.U64(128);
  if (has(PERF_SAMPLE_AUX)) out.U64(8).U64(129);
}

void ExpectSample(const SampleRecord& sample, std::uint64_t type) {
  const auto when = [&](std::uint64_t bits, std::uint64_t value) {
    return (type & bits) != 0 ? value : 0;
  };
  EXPECT_EQ(sample.id.id, when(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID, 100));
  EXPECT_EQ(sample.ip, when(PERF_SAMPLE_IP, 101));
  EXPECT_EQ(sample.id.pid, when(PERF_SAMPLE_TID, 102));
  EXPECT_EQ(sample.id.tid, when(PERF_SAMPLE_TID, 103));
  EXPECT_EQ(sample.id.time_ns, when(PERF_SAMPLE_TIME, 104));
  EXPECT_EQ(sample.addr, when(PERF_SAMPLE_ADDR, 105));
  EXPECT_EQ(sample.stream_id, when(PERF_SAMPLE_STREAM_ID, 107));
  EXPECT_EQ(sample.id.cpu, when(PERF_SAMPLE_CPU, 108));
  EXPECT_EQ(sample.period, when(PERF_SAMPLE_PERIOD, 109));
  EXPECT_EQ(sample.read_values.size(), when(PERF_SAMPLE_READ, 1));
  EXPECT_EQ(sample.callchain.size(), when(PERF_SAMPLE_CALLCHAIN, 2));
  EXPECT_EQ(sample.raw.size(), when(PERF_SAMPLE_RAW, 12));
  EXPECT_EQ(sample.branches.size(), when(PERF_SAMPLE_BRANCH_STACK, 3));
  EXPECT_EQ(sample.user_abi, when(PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_ABI_64));
  EXPECT_EQ(sample.user_registers.size(), when(PERF_SAMPLE_REGS_USER, 3));
  EXPECT_EQ(sample.user_stack.size(), when(PERF_SAMPLE_STACK_USER, 10));
  EXPECT_EQ(sample.weight, when(PERF_SAMPLE_WEIGHT_TYPE, 120));
  EXPECT_EQ(sample.data_source, when(PERF_SAMPLE_DATA_SRC, 121));
  EXPECT_EQ(sample.transaction, when(PERF_SAMPLE_TRANSACTION, 122));
  EXPECT_EQ(sample.intr_abi, when(PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_REGS_ABI_32));
  EXPECT_EQ(sample.intr_registers.size(), when(PERF_SAMPLE_REGS_INTR, 2));
  EXPECT_EQ(sample.phys_addr, when(PERF_SAMPLE_PHYS_ADDR, 125));
  EXPECT_EQ(sample.cgroup, when(PERF_SAMPLE_CGROUP, 126));
  EXPECT_EQ(sample.data_page_size, when(PERF_SAMPLE_DATA_PAGE_SIZE, 127));
  EXPECT_EQ(sample.code_page_size, when(PERF_SAMPLE_CODE_PAGE_SIZE, 128));
  EXPECT_EQ(sample.aux.size(), when(PERF_SAMPLE_AUX, 8));
}

RecordLayout LayoutOf(std::uint64_t sample_type) {
  return {.sample_type = sample_type, .regs_user = kRegistersUser, .regs_intr = kRegistersIntr};
}

SampleRecord DecodedSample(RecordBuilder& builder, const RecordLayout& layout) {
  const auto record = Decode(builder.Record(), layout);
  if (!record.has_value() || !std::holds_alternative<SampleRecord>(*record)) {
    ADD_FAILURE() << "not decoded as a sample";
    return {};
  }
  return std::get<SampleRecord>(*record);
}

TEST(SampleDecoderTest, ReadsEveryBitAlone) {
  for (std::uint64_t bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1) {
    SCOPED_TRACE(std::countr_zero(bit));
    RecordBuilder builder(PERF_RECORD_SAMPLE);
    WriteSample(builder, LayoutOf(bit));
    ExpectSample(DecodedSample(builder, LayoutOf(bit)), bit);
  }
}

TEST(SampleDecoderTest, ReadsAllBitsTogether) {
  RecordBuilder builder(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  WriteSample(builder, LayoutOf(kAllBits));
  const SampleRecord sample = DecodedSample(builder, LayoutOf(kAllBits));
  ExpectSample(sample, kAllBits);
  EXPECT_EQ(sample.misc, PERF_RECORD_MISC_USER);
  EXPECT_THAT(sample.callchain, ElementsAre(PERF_CONTEXT_USER, 111));
  EXPECT_THAT(sample.branches, ElementsAre(112, 113, 114));
  EXPECT_THAT(sample.user_registers, ElementsAre(115, 116, 117));
  EXPECT_THAT(sample.intr_registers, ElementsAre(123, 124));
}

TEST(SampleDecoderTest, ReadsRandomCombinationsAndRejectsEveryCut) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t type = random() & (PERF_SAMPLE_MAX - 1);
    SCOPED_TRACE(type);
    RecordBuilder builder(PERF_RECORD_SAMPLE);
    WriteSample(builder, LayoutOf(type));
    ExpectSample(DecodedSample(builder, LayoutOf(type)), type);
    const auto whole = builder.Record();
    for (std::size_t size = 8; size < whole.size(); size += 8) {
      RecordBuilder cut(PERF_RECORD_SAMPLE);
      cut.Append(whole.data() + 8, size - 8);
      EXPECT_FALSE(Decode(cut.Record(), LayoutOf(type)).has_value());
    }
  }
}

TEST(SampleDecoderTest, AKernelThreadHasNeitherUserRegistersNorStack) {
  const auto layout = LayoutOf(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT);
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  builder.U64(PERF_SAMPLE_REGS_ABI_NONE).U64(0).U64(7);
  const SampleRecord sample = DecodedSample(builder, layout);
  EXPECT_EQ(sample.user_abi, 0u);
  EXPECT_TRUE(sample.user_registers.empty());
  EXPECT_TRUE(sample.user_stack.empty());
  EXPECT_EQ(sample.weight, 7u);
}

TEST(SampleDecoderTest, ADynamicSizeAboveTheDumpIsClipped) {
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  builder.U64(8).U64(1).U64(1000);
  EXPECT_EQ(DecodedSample(builder, LayoutOf(PERF_SAMPLE_STACK_USER)).user_stack.size(), 8u);
}

TEST(SampleDecoderTest, BranchesMayHaveAHardwareIndexAndCounters) {
  RecordLayout layout = LayoutOf(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT);
  layout.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | 1U << 19;
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  builder.U64(1).U64(5).U64(1).U64(2).U64(3).U64(99).U64(7);
  const SampleRecord sample = DecodedSample(builder, layout);
  EXPECT_EQ(sample.branch_hw_index, 5u);
  EXPECT_THAT(sample.branches, ElementsAre(1, 2, 3));
  EXPECT_EQ(sample.weight, 7u);
}

TEST(SampleDecoderTest, CountsThatCannotBeTrueAreMalformed) {
  for (const std::uint64_t bit :
       {PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX}) {
    for (const std::uint64_t count : {std::uint64_t{1} << 61, std::uint64_t{1} << 63,
                                      ~std::uint64_t{0}, std::uint64_t{0x5555555555555556}}) {
      RecordBuilder builder(PERF_RECORD_SAMPLE);
      builder.U64(count | 4).U64(1).U64(2);
      EXPECT_FALSE(Decode(builder.Record(), LayoutOf(bit)).has_value()) << bit << " " << count;
    }
  }
}

TEST(SampleDecoderTest, RawDataLongerThanTheRecordOrUnpaddedIsMalformed) {
  for (const std::uint32_t size : {0xfffffffcU, 20U, 5U}) {
    RecordBuilder builder(PERF_RECORD_SAMPLE);
    builder.U32(size).U32(1).U64(2);
    EXPECT_FALSE(Decode(builder.Record(), LayoutOf(PERF_SAMPLE_RAW)).has_value()) << size;
  }
}

TEST(SampleDecoderTest, BytesBehindTheKnownFieldsAreIgnored) {
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  builder.U64(5).U64(6);
  EXPECT_EQ(DecodedSample(builder, LayoutOf(PERF_SAMPLE_IP)).ip, 5u);
}

class ReadFormatTest : public testing::TestWithParam<std::uint64_t> {};

// Counter i of the group has the value 10+i, the id 20+i and 30+i lost.
void WriteReadFormat(RecordBuilder& out, std::uint64_t format, std::uint64_t counters) {
  const bool group = (format & PERF_FORMAT_GROUP) != 0;
  out.U64(group ? counters : 10);
  if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) out.U64(1);
  if ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0) out.U64(2);
  for (std::uint64_t i = 0; i < (group ? counters : 1); ++i) {
    if (group) out.U64(10 + i);
    if ((format & PERF_FORMAT_ID) != 0) out.U64(20 + i);
    if ((format & PERF_FORMAT_LOST) != 0) out.U64(30 + i);
  }
}

TEST_P(ReadFormatTest, IsReadFromASample) {
  const std::uint64_t format = GetParam();
  const std::uint64_t counters = (format & PERF_FORMAT_GROUP) != 0 ? 3 : 1;
  RecordLayout layout = LayoutOf(PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT);
  layout.read_format = format;
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  WriteReadFormat(builder, format, counters);
  builder.U64(77);
  const SampleRecord sample = DecodedSample(builder, layout);
  EXPECT_EQ(sample.weight, 77u);
  const auto values = ParseReadValues(sample.read_values, format);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->enabled_ns, (format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0 ? 1u : 0u);
  EXPECT_EQ(values->running_ns, (format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0 ? 2u : 0u);
  ASSERT_EQ(values->counters.size(), counters);
  for (std::uint64_t i = 0; i < counters; ++i) {
    EXPECT_EQ(values->counters[i].value, 10 + i);
    EXPECT_EQ(values->counters[i].id, (format & PERF_FORMAT_ID) != 0 ? 20 + i : 0);
    EXPECT_EQ(values->counters[i].lost, (format & PERF_FORMAT_LOST) != 0 ? 30 + i : 0);
  }
}

TEST_P(ReadFormatTest, IsReadFromAReadRecord) {
  const std::uint64_t format = GetParam();
  RecordBuilder builder(PERF_RECORD_READ);
  builder.U32(3).U32(4);
  WriteReadFormat(builder, format, 2);
  const auto record = Decode(builder.Record(), {.read_format = format});
  ASSERT_TRUE(record.has_value());
  const auto& read = std::get<ReadRecord>(*record);
  EXPECT_EQ(read.tid, 4u);
  EXPECT_EQ(read.value, 10u);
  EXPECT_EQ(read.event_id, (format & PERF_FORMAT_ID) != 0 ? 20u : 0u);
  EXPECT_EQ(read.lost, (format & PERF_FORMAT_LOST) != 0 ? 30u : 0u);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, ReadFormatTest,
                         testing::Range(std::uint64_t{0}, std::uint64_t{PERF_FORMAT_MAX}));

TEST(ReadValuesTest, WordsThatDoNotFitTheFormatAreRefused) {
  const std::vector<std::uint64_t> words = {2, 10, 20};
  EXPECT_FALSE(ParseReadValues(words, PERF_FORMAT_GROUP | PERF_FORMAT_ID).has_value());
  EXPECT_FALSE(ParseReadValues(words, 0).has_value());
  EXPECT_FALSE(ParseReadValues({}, 0).has_value());
  EXPECT_TRUE(ParseReadValues(words, PERF_FORMAT_GROUP).has_value());
}

}  // namespace
}  // namespace prof::perf
