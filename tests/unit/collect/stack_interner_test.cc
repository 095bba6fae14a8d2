// Whole stacks get the ids that node by node interning would give them.
#include "collect/stack_interner.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/temp_dir.h"
#include "support/vector_sink.h"

namespace prof::collect {
namespace {

using model::FrameKind;
using model::StackEnd;

class StackInternerTest : public testing::Test {
 protected:
  // Innermost first.
  static std::vector<NodeKey> Stack(std::initializer_list<std::uint64_t> addresses) {
    std::vector<NodeKey> frames;
    for (const std::uint64_t address : addresses)
      frames.push_back({1, FrameKind::kReturn, {address}});
    return frames;
  }
  // What the stream says the stack is: its end, then its frames, outermost first.
  std::vector<std::uint64_t> Meaning(model::StackId id) {
    std::vector<std::uint64_t> words;
    const auto nodes = sink_.All<model::StackNodeDef>();
    while (!model::IsRoot(id)) {
      const auto& node = nodes.at(nodes_before_ + id - model::kStackRootCount);
      words.push_back(node.frame.address.value << 2 | static_cast<std::uint64_t>(node.frame.kind));
      id = node.parent;
    }
    words.push_back(id);
    return {words.rbegin(), words.rend()};
  }
  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  ModuleTable modules_{fs_};
  test::VectorSink sink_;
  std::size_t nodes_before_ = 0;  // of earlier epochs
};

TEST_F(StackInternerTest, SharedOuterFramesAreWrittenOnce) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  StackInterner interner(writer);
  const auto first = interner.Intern(7, StackEnd::kComplete, Stack({30, 20, 10}));
  const auto second = interner.Intern(7, StackEnd::kComplete, Stack({40, 20, 10}));
  EXPECT_NE(first, second);
  EXPECT_EQ(interner.Intern(8, StackEnd::kComplete, Stack({30, 20, 10})), first);
  EXPECT_EQ(interner.Intern(7, StackEnd::kComplete, Stack({40, 20, 10})), second);
  EXPECT_EQ(sink_.All<model::StackNodeDef>().size(), 4u);
}

TEST_F(StackInternerTest, KindAndEndTellStacksApart) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  StackInterner interner(writer);
  auto frames = Stack({30, 20, 10});
  const auto plain = interner.Intern(7, StackEnd::kComplete, frames);
  const auto cut = interner.Intern(7, StackEnd::kTruncated, frames);
  frames.back().kind = FrameKind::kJoined;
  const auto joined = interner.Intern(7, StackEnd::kComplete, frames);
  EXPECT_EQ(Meaning(plain).front(), 1u);
  EXPECT_EQ(Meaning(cut).front(), 2u);
  EXPECT_EQ(Meaning(joined),
            (std::vector<std::uint64_t>{1, 10 << 2 | 2, 20 << 2 | 1, 30 << 2 | 1}));
  EXPECT_EQ(interner.Intern(7, StackEnd::kComplete, {}), model::RootOf(StackEnd::kComplete));
}

TEST_F(StackInternerTest, NothingOfAnEarlierEpochIsUsed) {
  StreamWriter writer(sink_, modules_, 3);
  writer.Begin({}, {});
  StackInterner interner(writer);
  interner.Intern(7, StackEnd::kComplete, Stack({30, 20, 10}));
  writer.TurnEpoch();
  nodes_before_ = 3;
  const auto id = interner.Intern(7, StackEnd::kComplete, Stack({30, 20, 10}));
  EXPECT_EQ(sink_.All<model::StackNodeDef>().size(), 6u);
  EXPECT_EQ(Meaning(id), (std::vector<std::uint64_t>{1, 41, 81, 121}));
}

TEST_F(StackInternerTest, RandomStacksOfManyThreadsMeanWhatTheyWere) {
  StreamWriter writer(sink_, modules_, 1'000'000);
  writer.Begin({}, {});
  StackInterner interner(writer);
  std::mt19937 random(3);
  std::map<std::vector<std::uint64_t>, model::StackId> ids;
  for (int round = 0; round < 3000; ++round) {
    std::vector<NodeKey> frames(1 + random() % 12);
    std::vector<std::uint64_t> words = {1 + random() % 2};
    for (NodeKey& frame : frames) frame = {1, static_cast<FrameKind>(random() % 3), {random() % 3}};
    for (std::size_t i = frames.size(); i-- > 0;)
      words.push_back(frames[i].address.value << 2 | static_cast<std::uint64_t>(frames[i].kind));
    const auto end = static_cast<StackEnd>(words.front());
    const auto id = interner.Intern(1 + random() % 200, end, frames);
    const auto [entry, added] = ids.try_emplace(words, id);
    ASSERT_EQ(entry->second, id);
  }
  const std::size_t step = 37;
  std::size_t at = 0;
  for (const auto& [words, id] : ids) {
    if (at++ % step != 0) continue;
    EXPECT_EQ(Meaning(id), words);
  }
}

}  // namespace
}  // namespace prof::collect
