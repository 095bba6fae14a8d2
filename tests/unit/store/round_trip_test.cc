// What is written is what is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "record_text.h"
#include "sample_records.h"
#include "store_file.h"

namespace prof::store::test {
namespace {

using ::testing::ElementsAreArray;

TEST(RoundTripTest, KeepsEveryFieldOfEveryKind) {
  const auto records = EveryKind();
  StoreFile file;
  file.Write(records);
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_THAT(Canonical(replayed.records), ElementsAreArray(Canonical(records)));
  EXPECT_TRUE(replayed.summary.complete);
  EXPECT_EQ(replayed.summary.bytes, file.bytes().size());
  EXPECT_EQ(replayed.summary.corrupt_blocks, 0u);
  EXPECT_EQ(replayed.summary.cut_bytes, 0u);
}

TEST(RoundTripTest, KeepsRandomProfiles) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const auto records = RandomProfile(seed).Make();
    StoreFile file;
    // Small blocks, so that definitions and uses come to lie in different ones.
    file.Write(records,
               {.compression_level = static_cast<int>(seed % 3), .block_bytes = 64U << (seed % 8)});
    const Replayed replayed = file.Replay();
    ASSERT_TRUE(replayed.ok) << replayed.error.message;
    ASSERT_THAT(Canonical(replayed.records), ElementsAreArray(Canonical(records)))
        << "seed " << seed;
    ASSERT_TRUE(replayed.summary.complete);
    ASSERT_EQ(replayed.summary.corrupt_blocks, 0u);
  }
}

TEST(RoundTripTest, ReadsAPipeWhileItIsWritten) {
  const auto records = RandomProfile(4711).Make();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::jthread writing([&, fd = ends[1]]() mutable {
    auto writer = Writer::Create(UniqueFd(fd), "pipe", {.block_bytes = 512});
    ASSERT_TRUE(writer);
    for (const auto& record : records) ASSERT_TRUE((*writer)->Append(record));
    ASSERT_TRUE((*writer)->Finish());
  });
  const Replayed replayed = ReplayFrom(Reader::FromFd(UniqueFd(ends[0]), "pipe"));
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_THAT(Canonical(replayed.records), ElementsAreArray(Canonical(records)));
  EXPECT_TRUE(replayed.summary.complete);
}

TEST(RoundTripTest, FlushLetsAReaderSeeWhatWasAppended) {
  StoreFile file;
  auto writer = Writer::Create(Create(file.path()), "prof.data", {});
  ASSERT_TRUE(writer);
  const auto records = EveryKind();
  for (std::size_t i = 0; i < 12; ++i) ASSERT_TRUE((*writer)->Append(records[i]));
  ASSERT_TRUE((*writer)->Flush());
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok);
  EXPECT_EQ(replayed.records.size(), 12u);
  EXPECT_FALSE(replayed.summary.complete);
  EXPECT_EQ(replayed.summary.cut_bytes, 0u);
}

TEST(RoundTripTest, AnEmptyRecordingIsAFileWithoutRecords) {
  StoreFile file;
  file.Write({});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_TRUE(replayed.records.empty());
  EXPECT_FALSE(replayed.summary.complete);
}

TEST(RoundTripTest, ModuleWithMoreSymbolsThanABlockHoldsComesInParts) {
  model::ModuleSymbols symbols;
  symbols.module.path = "/bin/big";
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    symbols.addresses.push_back({.address = {i * 8},
                                 .function_start = {},
                                 .frames = {{"f" + std::to_string(i), "", 0, false}}});
  }
  StoreFile file;
  file.Write({symbols});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_GT(replayed.records.size(), 1u);
  std::uint64_t next = 0;
  for (const auto& record : replayed.records) {
    const auto& part = std::get<model::ModuleSymbols>(record);
    EXPECT_EQ(part.module, symbols.module);
    for (const auto& address : part.addresses) {
      ASSERT_EQ(address.address.value, 8 * next);
      ASSERT_EQ(address.frames.at(0).name, "f" + std::to_string(next));
      ++next;
    }
  }
  EXPECT_EQ(next, symbols.addresses.size());
}

TEST(RoundTripTest, LongTextReferredToOftenIsDeliveredWhole) {
  std::vector<model::Record> records = {model::EpochBegin{}, model::ThreadDef{}};
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    records.push_back(model::ThreadRename{.time_ns = i, .name = std::string(65'536, 'x')});
  }
  StoreFile file;
  file.Write(records);
  const Replayed replayed = file.Replay();
  EXPECT_EQ(replayed.records.size(), records.size());
  EXPECT_GT(replayed.summary.blocks, 4u);  // a reader takes 64 MiB of text from one block
}

TEST(RoundTripTest, StringsAreCutAtTheFormatsLimit) {
  model::ThreadDef thread{.name = std::string(100'000, 'x')};
  StoreFile file;
  file.Write({thread});
  const Replayed replayed = file.Replay();
  ASSERT_EQ(replayed.records.size(), 1u);
  EXPECT_EQ(std::get<model::ThreadDef>(replayed.records[0]).name, std::string(65'536, 'x'));
}

}  // namespace
}  // namespace prof::store::test
