// Files of newer versions and files that are no profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "record_text.h"
#include "sample_records.h"
#include "store/block_writer.h"
#include "store_file.h"

#include "prof/base/checksum.h"

namespace prof::store::test {
namespace {

using ::testing::HasSubstr;

// A file of one block.
std::string FileOf(std::uint16_t type, std::uint16_t flags, const std::string& payload,
                   std::uint32_t epoch = 0) {
  const auto bytes = std::as_bytes(std::span(payload));
  const auto size = static_cast<std::uint32_t>(payload.size());
  ByteWriter file;
  EncodeFileHeader(file);
  EncodeBlockHeader({.type = type,
                     .flags = flags,
                     .raw_bytes = size,
                     .stored_bytes = size,
                     .sequence = 0,
                     .epoch = epoch,
                     .payload_crc = Crc32c(bytes)},
                    file);
  file.Bytes(bytes);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.size()};
}

std::string HeaderWith(std::uint32_t version, std::uint64_t required) {
  ByteWriter header;
  header.Bytes(std::as_bytes(std::span(kFileMagic)));
  header.U32(version);
  header.U32(kFileHeaderBytes);
  header.U64(required);
  header.U64(~std::uint64_t{0});
  header.U32(0);
  header.U32(Crc32c(header.bytes()));
  return {reinterpret_cast<const char*>(header.bytes().data()), header.size()};
}

class CompatibilityTest : public ::testing::Test {
 protected:
  void SetUp() override { file_.Write(EveryKind()); }
  StoreFile file_;
};

TEST_F(CompatibilityTest, UnknownSkippableBlockIsCounted) {
  const Replayed replayed = file_.Replay(FileOf(77, 0, "later"));
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_EQ(replayed.summary.unknown_blocks, 1u);
  EXPECT_EQ(replayed.summary.corrupt_blocks, 0u);
}

TEST_F(CompatibilityTest, UnknownRequiredBlockIsRefused) {
  const Replayed replayed = file_.Replay(FileOf(77, kBlockRequired, "later"));
  ASSERT_FALSE(replayed.ok);
  EXPECT_EQ(replayed.error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(replayed.error.message, HasSubstr("written by a newer prof (block type 77"));
}

TEST_F(CompatibilityTest, UnknownSectionsAndRecordsAreSkippedUnlessRequired) {
  const std::string optional = {40 << 1, 1, 'x'};
  const std::string required = {(40 << 1) | 1, 1, 'x'};
  for (const BlockType type :
       {BlockType::kRecords, BlockType::kData, BlockType::kSymbols, BlockType::kCode}) {
    const auto number = static_cast<std::uint16_t>(type);
    EXPECT_TRUE(file_.Replay(FileOf(number, 0, optional)).ok);
    const Replayed refused = file_.Replay(FileOf(number, 0, required));
    EXPECT_FALSE(refused.ok);
    EXPECT_EQ(refused.error.kind, ErrorKind::kUnsupported);
  }
}

TEST_F(CompatibilityTest, RecordWithMoreFieldsKeepsTheKnownOnes) {
  // EpochBegin{3} with a field of a later version behind it.
  const std::string payload = {3 << 1, 3, 3, 1, 2};
  const Replayed replayed = file_.Replay(FileOf(1, 0, payload, 1));
  ASSERT_TRUE(replayed.ok);
  ASSERT_EQ(replayed.records.size(), 1u);
  EXPECT_EQ(std::get<model::EpochBegin>(replayed.records[0]).index, 3u);
}

TEST_F(CompatibilityTest, RecordWithFewerFieldsKeepsDefaults) {
  const std::string payload = {4 << 1, 4, 3, 'a', 'p', 'p'};
  const Replayed replayed = file_.Replay(FileOf(1, 0, payload));
  ASSERT_TRUE(replayed.ok);
  ASSERT_EQ(replayed.records.size(), 1u);
  EXPECT_EQ(Text(replayed.records[0]), "usage app 0 0 0 0 0");
}

TEST_F(CompatibilityTest, LoadIsNotKnownOfOlderRecordings) {
  // RecordingEnd up to its notes, of which there are none.
  const std::string payload = {5 << 1, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 0, 0};
  const Replayed replayed = file_.Replay(FileOf(1, 0, payload));
  ASSERT_TRUE(replayed.ok);
  ASSERT_EQ(replayed.records.size(), 1u);
  const auto& end = std::get<model::RecordingEnd>(replayed.records[0]);
  EXPECT_EQ(end.recorded_cpus, 2u);
  EXPECT_EQ(end.other_cpu_ns, model::kNotKnown);
  EXPECT_EQ(end.steal_ns, model::kNotKnown);
}

TEST_F(CompatibilityTest, NewerVersionIsRefused) {
  const Replayed replayed = file_.Replay(HeaderWith(2, 0));
  ASSERT_FALSE(replayed.ok);
  EXPECT_EQ(replayed.error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(replayed.error.message, HasSubstr("written by a newer prof"));
}

TEST_F(CompatibilityTest, UnknownRequiredFeatureIsRefusedAndOptionalOnesAreNot) {
  EXPECT_TRUE(file_.Replay(HeaderWith(1, 0)).ok);
  const Replayed replayed = file_.Replay(HeaderWith(1, 4));
  ASSERT_FALSE(replayed.ok);
  EXPECT_EQ(replayed.error.kind, ErrorKind::kUnsupported);
}

TEST_F(CompatibilityTest, DamagedFileHeaderIsNotANewerVersion) {
  std::string bytes = file_.bytes();
  bytes[8] = 9;
  const Replayed replayed = file_.Replay(bytes);
  ASSERT_FALSE(replayed.ok);
  EXPECT_EQ(replayed.error.kind, ErrorKind::kBadData);
  EXPECT_THAT(replayed.error.message, HasSubstr("the file header is damaged"));
}

TEST_F(CompatibilityTest, OtherFilesAreNamed) {
  const std::pair<std::string, std::string> cases[] = {
      {"PERFILE2" + std::string(96, '\0'), "is a perf.data file"},
      {"\x7f"
       "ELF...",
       "is an ELF program"},
      {"\x1f\x8b\x08", "gzip"},
      {"hello world", "not a profile of prof"},
      {"", "is empty"},
      {file_.bytes().substr(0, 20), "ends within the file header"}};
  for (const auto& [bytes, message] : cases) {
    const Replayed replayed = file_.Replay(bytes);
    ASSERT_FALSE(replayed.ok) << message;
    EXPECT_EQ(replayed.error.kind, ErrorKind::kBadData);
    EXPECT_THAT(replayed.error.message, HasSubstr(message));
    EXPECT_THAT(replayed.error.message, HasSubstr(file_.path()));
  }
  const Replayed perf = file_.Replay("PERFILE2");
  EXPECT_EQ(perf.error.hint, "perf report -i " + file_.path());
}

TEST_F(CompatibilityTest, MissingFileAndDirectoryAreErrors) {
  const auto missing = Reader::Open("/nonexistent/prof.data");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  const auto directory = Reader::Open("/tmp");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().kind, ErrorKind::kBadData);
}

}  // namespace
}  // namespace prof::store::test
