// The decoder reads every record type with its trailer, and no bytes make it fail.
#include "prof/perf/record_decoder.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <random>
#include <string>

#include "record_builder.h"

namespace prof::perf {
namespace {

constexpr RecordLayout kLayout{
    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU,
    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                   PERF_FORMAT_ID | PERF_FORMAT_LOST,
    .sample_id_all = true};

// The trailer of kLayout: { pid, tid } { time } { stream_id } { cpu, res } { id }
void WriteTrailer(RecordBuilder& out) {
  out.U32(71).U32(72).U64(73).U64(0xbad).U32(74).U32(0xbad).U64(75);
}

void ExpectTrailer(const SampleId& id) {
  EXPECT_EQ(id.pid, 71u);
  EXPECT_EQ(id.tid, 72u);
  EXPECT_EQ(id.time_ns, 73u);
  EXPECT_EQ(id.cpu, 74u);
  EXPECT_EQ(id.id, 75u);
}

template <class T>
T DecodeAs(RecordBuilder& builder) {
  WriteTrailer(builder);
  const auto record = Decode(builder.Record(), kLayout);
  if (!record.has_value() || !std::holds_alternative<T>(*record)) {
    ADD_FAILURE() << "not decoded, or as another type";
    return {};
  }
  ExpectTrailer(std::get<T>(*record).id);
  return std::get<T>(*record);
}

TEST(RecordDecoderTest, MmapIsExecutableUnlessMarkedAsData) {
  for (const bool data : {false, true}) {
    RecordBuilder builder(PERF_RECORD_MMAP, data ? PERF_RECORD_MISC_MMAP_DATA : 0);
    builder.U32(1).U32(2).U64(0x1000).U64(0x2000).U64(0x3000).Text("/bin/true");
    const auto mmap = DecodeAs<MmapRecord>(builder);
    EXPECT_EQ(mmap.pid, 1u);
    EXPECT_EQ(mmap.tid, 2u);
    EXPECT_EQ(mmap.start, 0x1000u);
    EXPECT_EQ(mmap.length, 0x2000u);
    EXPECT_EQ(mmap.file_offset, 0x3000u);
    EXPECT_EQ(mmap.executable, !data);
    EXPECT_FALSE(mmap.has_inode);
    EXPECT_EQ(mmap.path, "/bin/true");
  }
}

TEST(RecordDecoderTest, Mmap2CarriesTheInode) {
  RecordBuilder builder(PERF_RECORD_MMAP2);
  builder.U32(1).U32(2).U64(0x1000).U64(0x2000).U64(0x3000);
  builder.U32(8).U32(9).U64(10).U64(11);
  builder.U32(PROT_READ | PROT_EXEC).U32(MAP_PRIVATE).Text("/lib/x.so");
  const auto mmap = DecodeAs<MmapRecord>(builder);
  EXPECT_TRUE(mmap.has_inode);
  EXPECT_EQ(mmap.device_major, 8u);
  EXPECT_EQ(mmap.device_minor, 9u);
  EXPECT_EQ(mmap.inode, 10u);
  EXPECT_EQ(mmap.inode_generation, 11u);
  EXPECT_EQ(mmap.protection, static_cast<std::uint32_t>(PROT_READ | PROT_EXEC));
  EXPECT_TRUE(mmap.executable);
  EXPECT_TRUE(mmap.build_id.empty());
  EXPECT_EQ(mmap.path, "/lib/x.so");
}

RecordBuilder Mmap2WithBuildId(std::uint8_t size) {
  RecordBuilder builder(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
  builder.U32(1).U32(2).U64(0x1000).U64(0x2000).U64(0x3000);
  builder.U8(size).U8(0).U16(0);
  for (std::uint8_t i = 0; i < 20; ++i) builder.U8(static_cast<std::uint8_t>(0xa0 + i));
  builder.U32(PROT_READ).U32(MAP_PRIVATE).Text("/lib/x.so");
  return builder;
}

TEST(RecordDecoderTest, Mmap2CarriesTheBuildId) {
  RecordBuilder builder = Mmap2WithBuildId(16);
  const auto mmap = DecodeAs<MmapRecord>(builder);
  EXPECT_EQ(mmap.build_id.Hex(), "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  EXPECT_FALSE(mmap.has_inode);
  EXPECT_FALSE(mmap.executable);
}

TEST(RecordDecoderTest, ABuildIdLongerThanItsFieldIsMalformed) {
  RecordBuilder builder = Mmap2WithBuildId(21);
  WriteTrailer(builder);
  EXPECT_FALSE(Decode(builder.Record(), kLayout).has_value());
}

TEST(RecordDecoderTest, CommTellsAnExec) {
  RecordBuilder builder(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
  builder.U32(1).U32(2).Text("cc1plus");
  const auto comm = DecodeAs<CommRecord>(builder);
  EXPECT_TRUE(comm.exec);
  EXPECT_EQ(comm.tid, 2u);
  EXPECT_EQ(comm.comm, "cc1plus");
}

TEST(RecordDecoderTest, ForkAndExit) {
  RecordBuilder fork_builder(PERF_RECORD_FORK);
  fork_builder.U32(1).U32(2).U32(3).U32(4).U64(5);
  const auto fork = DecodeAs<ForkRecord>(fork_builder);
  EXPECT_EQ(fork.pid, 1u);
  EXPECT_EQ(fork.parent_pid, 2u);
  EXPECT_EQ(fork.tid, 3u);
  EXPECT_EQ(fork.parent_tid, 4u);
  EXPECT_EQ(fork.time_ns, 5u);
  RecordBuilder exit_builder(PERF_RECORD_EXIT);
  exit_builder.U32(1).U32(2).U32(3).U32(4).U64(5);
  EXPECT_EQ(DecodeAs<ExitRecord>(exit_builder).tid, 3u);
}

TEST(RecordDecoderTest, LostTakesTheEventFromTheRecordAndLostSamplesFromTheTrailer) {
  RecordBuilder lost_builder(PERF_RECORD_LOST);
  lost_builder.U64(9).U64(1234);
  const auto lost = DecodeAs<LostRecord>(lost_builder);
  EXPECT_EQ(lost.event_id, 9u);
  EXPECT_EQ(lost.count, 1234u);
  RecordBuilder samples_builder(PERF_RECORD_LOST_SAMPLES);
  samples_builder.U64(55);
  const auto samples = DecodeAs<LostRecord>(samples_builder);
  EXPECT_EQ(samples.event_id, 75u);
  EXPECT_EQ(samples.count, 55u);
}

TEST(RecordDecoderTest, ThrottleAndUnthrottle) {
  for (const std::uint32_t type : {PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE}) {
    RecordBuilder builder(type);
    builder.U64(1).U64(2).U64(3);
    const auto throttle = DecodeAs<ThrottleRecord>(builder);
    EXPECT_EQ(throttle.throttled, type == PERF_RECORD_THROTTLE);
    EXPECT_EQ(throttle.time_ns, 1u);
    EXPECT_EQ(throttle.event_id, 2u);
    EXPECT_EQ(throttle.stream_id, 3u);
  }
}

TEST(RecordDecoderTest, ReadHasTheCounterOfAThread) {
  RecordBuilder builder(PERF_RECORD_READ);
  builder.U32(1).U32(2).U64(10).U64(11).U64(12).U64(13).U64(14);
  const auto read = DecodeAs<ReadRecord>(builder);
  EXPECT_EQ(read.pid, 1u);
  EXPECT_EQ(read.tid, 2u);
  EXPECT_EQ(read.value, 10u);
  EXPECT_EQ(read.enabled_ns, 11u);
  EXPECT_EQ(read.running_ns, 12u);
  EXPECT_EQ(read.event_id, 13u);
  EXPECT_EQ(read.lost, 14u);
  EXPECT_EQ(read.read_values.size(), 5u);
}

TEST(RecordDecoderTest, SwitchInAndOut) {
  RecordBuilder in_builder(PERF_RECORD_SWITCH);
  EXPECT_FALSE(DecodeAs<SwitchRecord>(in_builder).out);
  RecordBuilder out_builder(PERF_RECORD_SWITCH_CPU_WIDE,
                            PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
  out_builder.U32(8).U32(9);
  const auto out = DecodeAs<SwitchRecord>(out_builder);
  EXPECT_TRUE(out.out);
  EXPECT_TRUE(out.preempted);
  EXPECT_EQ(out.other_pid, 8u);
  EXPECT_EQ(out.other_tid, 9u);
}

TEST(RecordDecoderTest, Namespaces) {
  RecordBuilder builder(PERF_RECORD_NAMESPACES);
  builder.U32(1).U32(2).U64(2).U64(3).U64(4).U64(5).U64(6);
  EXPECT_EQ(DecodeAs<NamespacesRecord>(builder).links.size(), 32u);
  RecordBuilder broken(PERF_RECORD_NAMESPACES);
  broken.U32(1).U32(2).U64(~std::uint64_t{0} / 16 + 2).U64(3).U64(4);
  WriteTrailer(broken);
  EXPECT_FALSE(Decode(broken.Record(), kLayout).has_value());
}

TEST(RecordDecoderTest, Ksymbol) {
  RecordBuilder builder(PERF_RECORD_KSYMBOL);
  builder.U64(0xffffffffc0000000).U32(64).U16(PERF_RECORD_KSYMBOL_TYPE_BPF);
  builder.U16(PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER).Text("bpf_prog_1");
  const auto symbol = DecodeAs<KsymbolRecord>(builder);
  EXPECT_EQ(symbol.address, 0xffffffffc0000000u);
  EXPECT_EQ(symbol.length, 64u);
  EXPECT_EQ(symbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
  EXPECT_TRUE(symbol.unregister);
  EXPECT_EQ(symbol.name, "bpf_prog_1");
}

TEST(RecordDecoderTest, OtherTypesAreNamed) {
  for (const std::uint32_t type :
       {std::uint32_t{PERF_RECORD_CGROUP}, std::uint32_t{PERF_RECORD_MAX}, 68U}) {
    RecordBuilder builder(type);
    WriteTrailer(builder);
    const auto record = Decode(builder.Record(), kLayout);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(std::get<OtherRecord>(*record).type, type);
  }
}

TEST(RecordDecoderTest, WithoutSampleIdAllTheWholeBodyIsTheRecord) {
  RecordBuilder builder(PERF_RECORD_COMM);
  builder.U32(1).U32(2).Text("a");
  RecordLayout layout = kLayout;
  layout.sample_id_all = false;
  const auto record = Decode(builder.Record(), layout);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(std::get<CommRecord>(*record).comm, "a");
  EXPECT_EQ(std::get<CommRecord>(*record).id.time_ns, 0u);
}

TEST(RecordDecoderTest, RecordsWithoutRoomForTheirFieldsAreMalformed) {
  for (const std::uint32_t type :
       {PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT,
        PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE, PERF_RECORD_READ,
        PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_NAMESPACES, PERF_RECORD_KSYMBOL}) {
    RecordBuilder builder(type);
    EXPECT_FALSE(Decode(builder.Record(), kLayout).has_value()) << "no trailer, type " << type;
    WriteTrailer(builder);
    EXPECT_FALSE(Decode(builder.Record(), kLayout).has_value()) << "no body, type " << type;
  }
  EXPECT_FALSE(Decode({}, kLayout).has_value());
}

TEST(RecordDecoderTest, AHeaderThatSaysMoreThanThereIsIsMalformed) {
  RecordBuilder builder(PERF_RECORD_COMM);
  builder.U32(1).U32(2).Text("name");
  WriteTrailer(builder);
  const auto whole = builder.Record();
  EXPECT_FALSE(Decode(whole.first(whole.size() - 8), kLayout).has_value());
  EXPECT_FALSE(PeekSampleId(whole.first(whole.size() - 8), kLayout).has_value());
}

TEST(PeekSampleIdTest, AgreesWithTheFullDecode) {
  std::mt19937_64 random(2);
  constexpr std::uint64_t kNeeded = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  constexpr std::uint64_t kOptional = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID |
                                      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
  for (int round = 0; round < 200; ++round) {
    const RecordLayout layout{.sample_type = kNeeded | (random() & kOptional),
                              .sample_id_all = true};
    for (const std::uint32_t type : {PERF_RECORD_SAMPLE, PERF_RECORD_FORK}) {
      RecordBuilder builder(type);
      for (int word = 0; word < 12; ++word) builder.U64(random());
      const auto peeked = PeekSampleId(builder.Record(), layout);
      const auto record = Decode(builder.Record(), layout);
      ASSERT_TRUE(peeked.has_value() && record.has_value());
      const SampleId& decoded = type == PERF_RECORD_SAMPLE ? std::get<SampleRecord>(*record).id
                                                           : std::get<ForkRecord>(*record).id;
      EXPECT_EQ(peeked->id, decoded.id);
      EXPECT_EQ(peeked->pid, decoded.pid);
      EXPECT_EQ(peeked->tid, decoded.tid);
      EXPECT_EQ(peeked->time_ns, decoded.time_ns);
      EXPECT_EQ(peeked->cpu, decoded.cpu);
    }
  }
}

TEST(PeekSampleIdTest, NeedsTheBitsAndTheBytes) {
  RecordBuilder builder(PERF_RECORD_SAMPLE);
  builder.U64(1).U64(2).U64(3);
  EXPECT_FALSE(PeekSampleId(builder.Record(), kLayout).has_value());
  EXPECT_FALSE(PeekSampleId(builder.Record(), {.sample_type = PERF_SAMPLE_TIME}).has_value());
  EXPECT_FALSE(PeekSampleId({}, kLayout).has_value());
}

TEST(RecordDecoderTest, RandomBytesNeverCrash) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20'000; ++round) {
    RecordBuilder builder(static_cast<std::uint32_t>(random() % (PERF_RECORD_MAX + 2)),
                          static_cast<std::uint16_t>(random()));
    const std::size_t words = random() % 40;
    for (std::size_t i = 0; i < words; ++i) {
      // Small numbers look like counts and sizes and lead deeper into the decoder.
      builder.U64(random() % 3 == 0 ? random() : random() % 16);
    }
    const RecordLayout layout{.sample_type = random() & (PERF_SAMPLE_MAX - 1),
                              .read_format = random() & (PERF_FORMAT_MAX - 1),
                              .regs_user = random() & 0xff,
                              .regs_intr = random() & 0xff,
                              .branch_sample_type = random() & 0xfffff,
                              .sample_id_all = random() % 2 == 0};
    const auto record = Decode(builder.Record(), layout);
    const auto peeked = PeekSampleId(builder.Record(), layout);
    if (record && std::holds_alternative<SampleRecord>(*record)) {
      const auto& sample = std::get<SampleRecord>(*record);
      EXPECT_LE(sample.callchain.size(), words);
      EXPECT_LE(sample.user_stack.size(), words * 8);
      if (peeked) {
        EXPECT_EQ(peeked->time_ns, sample.id.time_ns);
      }
    }
  }
}

}  // namespace
}  // namespace prof::perf
