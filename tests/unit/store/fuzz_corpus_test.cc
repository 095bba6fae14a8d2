// The seeds of the reader's fuzz target are files of the current format.
// PROF_WRITE_CORPUS=1 unit_store --gtest_filter='FuzzCorpus*' writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "sample_records.h"
#include "store_file.h"

namespace prof::store::test {
namespace {

struct Seed {
  const char* name;
  std::vector<model::Record> records;
  WriterOptions options;
};

std::vector<Seed> Seeds() {
  return {{"empty", {}, {}},
          {"every_kind_raw", EveryKind(), {.compression_level = 0}},
          {"every_kind_zstd", EveryKind(), {.compression_level = 3}},
          {"random_raw", RandomProfile(3).Make(), {.compression_level = 0, .block_bytes = 1024}},
          {"random_zstd", RandomProfile(4).Make(), {.compression_level = 1, .block_bytes = 1024}}};
}

TEST(FuzzCorpusTest, SeedsAreWhatTheWriterWritesToday) {
  const std::filesystem::path folder =
      std::filesystem::path(PROF_TEST_DATA).parent_path() / "fuzz/corpus/store_reader";
  for (const Seed& seed : Seeds()) {
    StoreFile file;
    file.Write(seed.records, seed.options);
    const std::string path = folder / seed.name;
    if (std::getenv("PROF_WRITE_CORPUS") != nullptr) WriteBytes(path, file.bytes());
    const Replayed kept = ReplayFrom(Reader::Open(path));
    ASSERT_TRUE(kept.ok) << path << ": " << kept.error.message;
    EXPECT_EQ(kept.records.size(), file.Replay().records.size()) << path;
    EXPECT_EQ(kept.summary.corrupt_blocks, 0u);
  }
}

}  // namespace
}  // namespace prof::store::test
