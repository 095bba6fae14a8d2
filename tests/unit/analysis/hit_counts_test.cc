// What is counted while a recording is written.
#include "prof/analysis/hit_counts.h"

#include <gtest/gtest.h>

#include "support/vector_sink.h"

namespace prof::analysis {
namespace {

using test::VectorSink;

model::Module Elf(const std::string& path) {
  return {.kind = model::ModuleKind::kElf, .path = path, .build_id = {}};
}

class HitCountsTest : public ::testing::Test {
 protected:
  void Epoch() { Add(model::EpochBegin{}); }
  void Module(model::ModuleId id, const std::string& path) {
    Add(model::ModuleDef{.id = id, .module = Elf(path)});
  }
  void Node(model::StackId id, model::StackId parent, model::ModuleId module, std::uint64_t address,
            model::FrameKind kind = model::FrameKind::kInstruction) {
    Add(model::StackNodeDef{.id = id,
                            .parent = parent,
                            .frame = {.module = module, .kind = kind, .address = {address}}});
  }
  void Sample(model::StackId stack, std::uint64_t count = 1) {
    Add(model::Sample{.count = count, .stack = stack});
  }
  void Add(const model::Record& record) { ASSERT_TRUE(counts_.Append(record)); }

  // "address: self stacks" of a module.
  std::vector<std::string> Of(const std::string& path) {
    std::vector<std::string> texts;
    for (const AddressHits& hit : counts_.Of(Elf(path))) {
      texts.push_back(std::to_string(hit.address.value) + ": " + std::to_string(hit.self) + " " +
                      std::to_string(hit.stacks));
    }
    return texts;
  }

  VectorSink sink_;
  HitCounts counts_{sink_};
};

using Texts = std::vector<std::string>;
constexpr model::StackId kFirst = model::kStackRootCount;
constexpr model::StackId kRoot = 1;

TEST_F(HitCountsTest, CallersCountTheSamplesBelowThemAtTheirLookupAddress) {
  Epoch();
  Module(0, "/app");
  Node(kFirst, kRoot, 0, 101, model::FrameKind::kReturn);  // looked up at 100
  Node(kFirst + 1, kFirst, 0, 200);
  Node(kFirst + 2, kFirst, 0, 300);
  Sample(kFirst + 1);
  Sample(kFirst + 1);
  Sample(kFirst + 2, 3);
  counts_.Finish();
  EXPECT_EQ(counts_.samples(), 5u);
  EXPECT_EQ(Of("/app"), (Texts{"100: 0 5", "200: 2 2", "300: 3 3"}));
}

TEST_F(HitCountsTest, EpochsAddUpAlthoughTheirIdsDiffer) {
  Epoch();
  Module(0, "/app");
  Node(kFirst, kRoot, 0, 200);
  Sample(kFirst);
  Epoch();
  Module(0, "/lib");
  Module(1, "/app");
  Node(kFirst, kRoot, 1, 200);
  Node(kFirst + 1, kFirst, 0, 8);
  Sample(kFirst);
  Sample(kFirst + 1);
  counts_.Finish();
  EXPECT_EQ(Of("/app"), (Texts{"200: 2 3"}));
  EXPECT_EQ(Of("/lib"), (Texts{"8: 1 1"}));
  EXPECT_DOUBLE_EQ(counts_.ModuleShare(Elf("/lib")), 1.0 / 3);
  EXPECT_DOUBLE_EQ(counts_.ModuleShare(Elf("/other")), 0);
}

TEST_F(HitCountsTest, SamplesWithoutAStackAndForeignIdsCountAsSamplesOnly) {
  Epoch();
  Module(0, "/app");
  Node(kFirst, kRoot, 7, 200);
  Sample(kFirst);
  Sample(kFirst + 40);
  Sample(kRoot);
  counts_.Finish();
  EXPECT_EQ(counts_.samples(), 3u);
  EXPECT_TRUE(Of("/app").empty());
}

TEST_F(HitCountsTest, EverythingIsPassedOn) {
  Epoch();
  Module(0, "/app");
  Node(kFirst, kRoot, 0, 200);
  Sample(kFirst);
  EXPECT_EQ(sink_.records.size(), 4u);
}

}  // namespace
}  // namespace prof::analysis
