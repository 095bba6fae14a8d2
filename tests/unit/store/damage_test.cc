// Cut and damaged files give what is left of them, and say what is missing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "record_text.h"
#include "sample_records.h"
#include "store/format.h"
#include "store_file.h"

namespace prof::store::test {
namespace {

using ::testing::ElementsAreArray;

// Where the blocks of an undamaged file begin, and where the last one ends.
std::vector<std::size_t> BlockStarts(const std::string& file) {
  std::vector<std::size_t> starts;
  std::size_t at = kFileHeaderBytes;
  while (at < file.size()) {
    starts.push_back(at);
    std::uint32_t stored = 0;
    std::memcpy(&stored, file.data() + at + 12, sizeof stored);
    at += kBlockHeaderBytes + stored;
  }
  starts.push_back(at);
  return starts;
}

std::uint64_t CountSamples(const std::vector<model::Record>& records) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      records, [](const auto& r) { return std::holds_alternative<model::Sample>(r); }));
}

std::vector<model::Loss> BadRecordLosses(const std::vector<model::Record>& records) {
  std::vector<model::Loss> losses;
  for (const auto& record : records) {
    const auto* loss = std::get_if<model::Loss>(&record);
    if (loss != nullptr && loss->cause == model::LossCause::kBadRecord) losses.push_back(*loss);
  }
  return losses;
}

// A recording of one thread with `blocks` data blocks of ten samples each; all definitions are in
// the first.
std::vector<model::Record> StackedSamples(int samples) {
  std::vector<model::Record> records = {
      FullInfo(),
      FullEvent(0),
      model::EpochBegin{},
      model::ModuleDef{0, {model::ModuleKind::kElf, "/bin/app", {}, 0, false}},
      model::ProcessDef{.pid = 1},
      model::ThreadDef{.process = 0, .tid = 1, .name = "app"},
      model::StackNodeDef{.id = 16, .parent = 1, .frame = {0, model::FrameKind::kReturn, {4}}}};
  for (int i = 0; i < samples; ++i) {
    records.push_back(model::Sample{.time_ns = static_cast<std::uint64_t>(i) * 1'000'003,
                                    .thread = 0,
                                    .cpu = 0,
                                    .event = 0,
                                    .weight = 1,
                                    .stack = 16});
  }
  records.push_back(model::RecordingEnd{});
  return records;
}

TEST(DamageTest, FileCutAnywhereGivesItsWholeBlocks) {
  StoreFile file;
  const auto records = RandomProfile(7).Make();
  file.Write(records, {.block_bytes = 2048});
  const std::string whole = file.bytes();
  const auto starts = BlockStarts(whole);
  ASSERT_GT(starts.size(), 4u);
  const std::size_t all = file.Replay().records.size();
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Replayed replayed = file.Replay(whole.substr(0, size));
    if (size < kFileHeaderBytes) {
      ASSERT_FALSE(replayed.ok) << size;
      ASSERT_EQ(replayed.error.kind, ErrorKind::kBadData);
      continue;
    }
    ASSERT_TRUE(replayed.ok) << size << ": " << replayed.error.message;
    const auto end = std::ranges::upper_bound(starts, size);
    ASSERT_EQ(replayed.summary.cut_bytes, size - *(end - 1)) << size;
    ASSERT_EQ(replayed.summary.blocks, static_cast<std::uint64_t>(end - 1 - starts.begin()));
    ASSERT_EQ(replayed.summary.corrupt_blocks, 0u) << size;
    ASSERT_FALSE(replayed.summary.complete) << size;
    ASSERT_GE(replayed.records.size(), before);
    before = replayed.records.size();
  }
  EXPECT_EQ(before, all);  // only the index is missing
}

TEST(DamageTest, DamagedPayloadIsSkippedAndItsSamplesAreCounted) {
  StoreFile file;
  file.Write(StackedSamples(1000), {.block_bytes = 1024});
  std::string bytes = file.bytes();
  const auto starts = BlockStarts(bytes);
  ASSERT_GT(starts.size(), 6u);
  bytes[starts[3] + kBlockHeaderBytes + 3] ^= 1;
  const Replayed replayed = file.Replay(bytes);
  ASSERT_TRUE(replayed.ok);
  EXPECT_EQ(replayed.summary.corrupt_blocks, 1u);
  EXPECT_EQ(replayed.summary.blocks, starts.size() - 2);
  EXPECT_TRUE(replayed.summary.complete);
  const auto losses = BadRecordLosses(replayed.records);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_FALSE(losses[0].at_least);
  EXPECT_EQ(CountSamples(replayed.records) + losses[0].count, 1000u);
}

TEST(DamageTest, DamagedBlockHeaderLosesOneBlock) {
  StoreFile file;
  file.Write(StackedSamples(1000), {.block_bytes = 1024});
  std::string bytes = file.bytes();
  const auto starts = BlockStarts(bytes);
  bytes[starts[3] + 12] ^= 0x40;  // the length: the way to the next block is lost
  const Replayed replayed = file.Replay(bytes);
  ASSERT_TRUE(replayed.ok);
  EXPECT_EQ(replayed.summary.corrupt_blocks, 1u);
  EXPECT_TRUE(replayed.summary.complete);
  const auto losses = BadRecordLosses(replayed.records);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_TRUE(losses[0].at_least);
}

TEST(DamageTest, MissingBytesAreFoundAndCounted) {
  StoreFile file;
  file.Write(StackedSamples(1000), {.block_bytes = 1024});
  std::string bytes = file.bytes();
  const auto starts = BlockStarts(bytes);
  bytes.erase(starts[2] + 50, starts[4] - starts[2] - 20);
  const Replayed replayed = file.Replay(bytes);
  ASSERT_TRUE(replayed.ok);
  EXPECT_EQ(replayed.summary.corrupt_blocks, 3u);
  EXPECT_TRUE(replayed.summary.complete);
}

TEST(DamageTest, LostEpochBeginDoesNotMixEpochs) {
  StoreFile file;
  std::vector<model::Record> records = StackedSamples(10);
  records.pop_back();
  records.push_back(model::EpochBegin{.index = 1});
  records.push_back(model::Sample{.time_ns = 5, .event = 0, .stack = 2});
  records.push_back(
      model::Sample{.time_ns = 6, .event = 0, .stack = 16});  // defined in epoch 0 only
  file.Write(records);
  std::string bytes = file.bytes();
  bytes[BlockStarts(bytes)[2] + kBlockHeaderBytes] ^= 1;  // the block with EpochBegin
  const Replayed replayed = file.Replay(bytes);
  ASSERT_TRUE(replayed.ok);
  const auto texts = Canonical(replayed.records);
  EXPECT_THAT(texts, ::testing::Contains("epoch 1"));
  EXPECT_EQ(CountSamples(replayed.records), 11u);
  EXPECT_FALSE(BadRecordLosses(replayed.records).empty());
}

TEST(DamageTest, IdsStayDenseWhenDefinitionsAreLost) {
  StoreFile file;
  std::vector<model::Record> records = {FullEvent(0), model::EpochBegin{}};
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint32_t module = i / 3;
    if (i % 3 == 0) {
      records.push_back(
          model::ModuleDef{module, {model::ModuleKind::kElf, std::to_string(i), {}, 0, false}});
    }
    records.push_back(model::StackNodeDef{
        .id = 16 + i, .parent = 1, .frame = {module, model::FrameKind::kReturn, {i}}});
    records.push_back(model::Sample{.time_ns = i, .stack = 16 + i});
  }
  file.Write(records, {.block_bytes = 256});
  std::string bytes = file.bytes();
  bytes[BlockStarts(bytes)[3] + kBlockHeaderBytes] ^= 1;
  const Replayed replayed = file.Replay(bytes);
  ASSERT_TRUE(replayed.ok);
  std::uint32_t next_node = 16;
  std::uint32_t next_module = 0;
  std::vector<std::uint64_t> node_address;
  for (const auto& record : replayed.records) {
    if (const auto* module = std::get_if<model::ModuleDef>(&record)) {
      EXPECT_EQ(module->id, next_module++);
    } else if (const auto* node = std::get_if<model::StackNodeDef>(&record)) {
      EXPECT_EQ(node->id, next_node++);
      EXPECT_LT(node->frame.module, next_module);
      node_address.push_back(node->frame.address.value);
    } else if (const auto* sample = std::get_if<model::Sample>(&record)) {
      ASSERT_LT(sample->stack, next_node);
      EXPECT_EQ(node_address[sample->stack - 16], sample->time_ns);  // still its own stack
    }
  }
  EXPECT_LT(next_node, 316u);
  EXPECT_GT(next_node, 200u);
}

TEST(DamageTest, ReferencesToNothingAreDroppedAndCounted) {
  using namespace model;
  StoreFile file;
  file.Write({FullEvent(0), EpochBegin{}, Sample{.event = 1}, Sample{.thread = 4},
              Sample{.stack = 99},
              StackNodeDef{.id = 16, .parent = 1, .frame = {5, FrameKind::kReturn, {1}}},
              ThreadDef{.id = 0, .process = 3, .tid = 0, .name = ""},
              ThreadRename{.thread = 2, .name = "x"}, CounterReading{.event = 9},
              Slice{"", "", "", 0, 0, 3, 0, 0}, Sample{}});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok);
  const auto losses = BadRecordLosses(replayed.records);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].count, 8u);
  EXPECT_EQ(replayed.records.size(), 4u);
}

TEST(DamageTest, RandomCorruptionNeverBreaksTheReader) {
  std::mt19937 random(1);
  StoreFile file;
  for (int round = 0; round < 40; ++round) {
    file.Write(RandomProfile(static_cast<std::uint32_t>(round)).Make(), {.block_bytes = 700});
    const std::string whole = file.bytes();
    for (int i = 0; i < 60; ++i) {
      std::string bytes = whole;
      for (std::uint32_t n = 1 + random() % 4; n > 0; --n) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      const Replayed replayed = file.Replay(bytes);
      const std::size_t header = kFileHeaderBytes;
      if (std::equal(bytes.begin(), bytes.begin() + header, whole.begin())) {
        ASSERT_TRUE(replayed.ok) << replayed.error.message;
        ASSERT_EQ(replayed.summary.corrupt_blocks == 0, bytes == whole) << round << " " << i;
      }
    }
  }
}

TEST(DamageTest, RubbishBehindTheEndIsCounted) {
  StoreFile file;
  file.Write(EveryKind());
  const Replayed replayed = file.Replay(file.bytes() + "rubbish");
  ASSERT_TRUE(replayed.ok);
  EXPECT_TRUE(replayed.summary.complete);
  EXPECT_EQ(replayed.summary.cut_bytes, 7u);
}

}  // namespace
}  // namespace prof::store::test
