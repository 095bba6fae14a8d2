// What a profile costs in bytes: the budgets that the columns were chosen for.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "sample_records.h"
#include "store_file.h"

namespace prof::store::test {
namespace {

// A program of 600 functions that calls itself through 30 to 60 frames, sampled on two CPUs at 997
// Hz: stacks share most frames with the one before.
class SyntheticRun {
 public:
  std::vector<model::Record> Make(std::size_t samples) {
    Head();
    for (std::size_t i = 0; i < samples; ++i) {
      if (i % 2'000 == 0) flush_points_.push_back(records_.size());
      OneSample(i);
    }
    return std::move(records_);
  }
  [[nodiscard]] std::size_t nodes() const { return interned_.size(); }
  // Where the recorder would flush, about once a second.
  [[nodiscard]] const std::vector<std::size_t>& flush_points() const { return flush_points_; }

 private:
  static constexpr std::uint32_t kModules = 5;
  static constexpr std::uint32_t kThreads = 4;

  void Head() {
    records_ = {FullInfo(), FullEvent(0), model::EpochBegin{}};
    for (std::uint32_t i = 0; i < kModules; ++i) {
      records_.push_back(model::ModuleDef{
          i,
          {model::ModuleKind::kElf, "/usr/lib/lib" + std::to_string(i), MakeBuildId(1), 0, false}});
    }
    records_.push_back(model::ProcessDef{.pid = 100});
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      records_.push_back(model::ThreadDef{.id = i, .process = 0, .tid = 100 + i, .name = "worker"});
      stacks_.emplace_back();
    }
  }

  // Few functions are hot, many are seen once.
  model::Frame RandomFrame(bool leaf) {
    const double uniform = std::uniform_real_distribution<>(0, 1)(random_);
    const auto function = static_cast<std::uint64_t>(600 * uniform * uniform * uniform);
    const std::uint64_t offset = leaf ? random_() % 40 * 4 : random_() % 4 * 16 + 5;
    return {static_cast<model::ModuleId>(function % kModules),
            leaf ? model::FrameKind::kInstruction : model::FrameKind::kReturn,
            {0x40'1000 + function * 2'713 + offset}};
  }

  model::StackId Intern(model::StackId parent, const model::Frame& frame) {
    const auto next = static_cast<model::StackId>(interned_.size() + model::kStackRootCount);
    const auto [entry, is_new] = interned_.try_emplace({parent, frame}, next);
    if (is_new) records_.push_back(model::StackNodeDef{next, parent, frame});
    return entry->second;
  }

  void OneSample(std::size_t i) {
    const auto cpu = static_cast<std::uint32_t>(i % 2);
    if (random_() % 50 == 0) running_[cpu] = random_() % kThreads;
    auto& stack = stacks_[running_[cpu]];
    // Mostly the last few frames change.
    std::size_t keep = stack.size() - std::min<std::size_t>(stack.size(), random_() % 6);
    if (random_() % 100 == 0) keep /= 2;
    stack.resize(keep);
    const std::size_t depth = std::max<std::size_t>(keep, 30 + random_() % 30) - random_() % 3;
    while (stack.size() < std::min(depth, keep + 1 + random_() % 3))
      stack.push_back(RandomFrame(false));
    model::StackId node = model::RootOf(model::StackEnd::kComplete);
    for (const model::Frame& frame : stack) node = Intern(node, frame);
    node = Intern(node, RandomFrame(true));
    time_[cpu] += 1'003'009 + (random_() % 4'000);
    records_.push_back(model::Sample{.time_ns = time_[cpu],
                                     .thread = running_[cpu],
                                     .cpu = cpu,
                                     .event = 0,
                                     .weight = 1'003'009,
                                     .stack = node});
  }

  std::mt19937 random_{5};
  std::vector<model::Record> records_;
  std::map<std::tuple<model::StackId, model::Frame>, model::StackId> interned_;
  std::vector<std::vector<model::Frame>> stacks_;
  std::uint32_t running_[2] = {0, 1};
  std::uint64_t time_[2] = {5'000'000'000, 5'000'300'000};
  std::vector<std::size_t> flush_points_;
};

TEST(SizeTest, SamplesAndStacksStayWithinTheirBudget) {
  constexpr std::size_t kSamples = 20'000;
  SyntheticRun run;
  const auto records = run.Make(kSamples);
  StoreFile file;
  auto writer = Writer::Create(Create(file.path()), "prof.data", {});
  ASSERT_TRUE(writer);
  auto flush = run.flush_points().begin();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (flush != run.flush_points().end() && *flush == i) {
      ASSERT_TRUE((*writer)->Flush());
      ++flush;
    }
    ASSERT_TRUE((*writer)->Append(records[i]));
  }
  ASSERT_TRUE((*writer)->Finish());
  const double bytes = static_cast<double>((*writer)->bytes_written());
  const auto nodes = static_cast<double>(run.nodes());
  RecordProperty("bytes", std::to_string(bytes));
  RecordProperty("nodes", std::to_string(nodes));
  // The budget is 16 per sample and 10 per node; the columns reach less than half of it.
  EXPECT_LT(bytes, kSamples * 7 + nodes * 6) << nodes << " nodes";
}

TEST(SizeTest, ColumnsThatDoNotChangeCostNextToNothing) {
  StoreFile file;
  std::vector<model::Record> records = {FullEvent(0), model::EpochBegin{}};
  for (int i = 0; i < 10'000; ++i) records.push_back(model::Sample{.weight = 7});
  file.Write(records);
  EXPECT_LT(file.bytes().size(), 400u);
  EXPECT_EQ(file.Replay().records.size(), records.size());
}

TEST(SizeTest, SymbolsStayWithinTheirBudget) {
  model::ModuleSymbols symbols;
  symbols.module.path = "/usr/bin/app";
  std::mt19937 random(3);
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const std::uint64_t function = i / 3;
    const std::string name = "_ZN4llvm" + std::to_string(function % 97) + "SmallVectorImpl" +
                             std::to_string(function) + "IPNS_11InstructionEE6insertEPS2_RKS2_";
    const std::string inlined = "_ZNSt6vectorIiSaIiEE9push_backE" + std::to_string(random() % 300);
    const std::string file = "/usr/include/c++/12/bits/part" + std::to_string(function % 60) + ".h";
    symbols.addresses.push_back(
        {.address = {0x1000 + i * 37},
         .function_start = {0x1000 + function * 111},
         .function_size = 111,
         .frames = {{inlined, file, static_cast<std::uint32_t>(random() % 2'000), true},
                    {name, file, static_cast<std::uint32_t>(random() % 2'000), false}}});
  }
  StoreFile file;
  file.Write({symbols});
  EXPECT_LT(file.bytes().size(), 60 * symbols.addresses.size() / 2);
}

TEST(SizeTest, LineTablesAndInlinedRangesStayWithinTheirBudget) {
  constexpr std::uint64_t kFunctions = 1'000;
  constexpr std::uint64_t kRows = 40;
  model::ModuleCode code;
  std::mt19937 random(11);
  for (std::uint64_t i = 0; i < kFunctions; ++i) {
    const std::uint64_t start = 0x40'1000 + i * 400;
    model::FunctionCode function{.start = {start},
                                 .size = 400,
                                 .name = "_ZN3app4workEi" + std::to_string(i),
                                 .code = {},
                                 .files = {"/src/app/work.cc", "/usr/include/c++/12/bits/vector.h"},
                                 .lines = {},
                                 .inlined = {},
                                 .references = {}};
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const auto file = static_cast<std::uint32_t>(random() % 2);
      const auto line = static_cast<std::uint32_t>(i + random() % 20);
      function.lines.push_back({{start + row * 10 + random() % 8}, file, line});
      if (row % 2 == 0) continue;
      const std::string name = "_ZNSt6vectorIiE4pushEv" + std::to_string(random() % 200);
      function.inlined.push_back({{start + row * 10}, {start + row * 10 + 9}, 1, name, 0, line});
    }
    code.functions.push_back(std::move(function));
  }
  StoreFile file;
  file.Write({code});
  // Budget: 4 bytes per row, 8 per range, 20 for the rest of a function.
  EXPECT_LT(file.bytes().size(), kFunctions * (4 * kRows + 8 * kRows / 2 + 20));
  EXPECT_EQ(file.Replay().records.size(), 1u);
}

}  // namespace
}  // namespace prof::store::test
