// What a pair gives up, rung by rung, when samples come faster than they can be unwound or written.
#include <gtest/gtest.h>

#include <algorithm>

#include "reader_fixture.h"

namespace prof::collect {
namespace {

constexpr std::size_t kRingBytes = 64 * 1024;  // some 48 samples of 1 KB of stack

class PressureTest : public ReaderFixture {
 protected:
  PressureTest() : ReaderFixture(model::CallGraphMode::kAuto, kRingBytes) {
    table_.AddThread(10, 10, "sh", 10);
    side_band_[0].PutMmap(10, "/sh", 10);
  }
  void Produce(int count) {
    for (int i = 0; i < count; ++i) PutSample(samples_[0], 10, 100 + produced_++);
  }
  // The ring is more than half full, and for each sample that is taken another one comes, `more` in
  // all.
  void ProduceWhileReading(std::uint64_t more) {
    Produce(40);
    const std::uint64_t last = produced_ + more;
    while_reading_ = [this, last] {
      if (produced_ < last) Produce(1);
    };
  }
  void ReadAll() {
    for (std::uint64_t before = 0; before != produced_;) {
      before = produced_;
      pairs_[0]->Pass(false);
    }
    pairs_[0]->Pass(true);
  }
  std::uint64_t SamplesEnding(model::StackEnd end) const {
    const auto nodes = sink_.All<model::StackNodeDef>();
    std::uint64_t count = 0;
    for (const model::Sample& sample : sink_.All<model::Sample>()) {
      model::StackId id = sample.stack;
      while (!model::IsRoot(id)) id = nodes.at(id - model::kStackRootCount).parent;
      count += id == model::RootOf(end) ? 1 : 0;
    }
    return count;
  }
  std::uint64_t Delivered() const { return sink_.All<model::Sample>().size(); }
  const PairCounts Counts() const { return pairs_[0]->counts(); }

  std::uint64_t produced_ = 0;
};

TEST_F(PressureTest, AFullRingAloneIsNone) {
  MakePairs({{0, 1}});
  Produce(45);
  ReadAll();
  EXPECT_EQ(Delivered(), produced_);
  EXPECT_EQ(Counts().deferred, 0u);
}

TEST_F(PressureTest, ARingThatFillsAsFastAsItIsReadIsCopiedAndUnwoundLater) {
  MakePairs({{0, 1}});
  ProduceWhileReading(200);
  ReadAll();
  EXPECT_EQ(produced_, 240u);
  EXPECT_GT(Counts().deferred, 100u);
  EXPECT_EQ(Counts().cut, 0u);
  EXPECT_EQ(Counts().shed, 0u);
  EXPECT_EQ(Counts().dropped, 0u);
  EXPECT_EQ(Delivered(), produced_);
  EXPECT_EQ(SamplesEnding(model::StackEnd::kShed), 0u);
  EXPECT_TRUE(std::ranges::is_sorted(SampleTimes()));
}

TEST_F(PressureTest, CopiedSamplesMeetTheMappingsAndTheNameOfTheirTime) {
  MakePairs({{0, 1}});
  side_band_[0].PutComm(10, "app", true, 200);
  side_band_[1].PutMmap(10, "/app", 201);
  ProduceWhileReading(200);
  ReadAll();
  EXPECT_GT(Counts().deferred, 100u);
  const auto seen = SeenIn(sink_);
  ASSERT_EQ(seen.size(), 240u);
  for (const auto& [time_ns, tid, name, path] : seen) {
    EXPECT_EQ(name, time_ns < 200 ? "sh" : "app") << time_ns;
    EXPECT_EQ(path, time_ns < 200 ? "/sh" : time_ns == 200 ? "[unknown]" : "/app") << time_ns;
  }
}

TEST_F(PressureTest, WithoutRoomForCopiesStacksAreShed) {
  MakePairs({{0, 1}}, {}, 8 * 1024);  // for a few
  ProduceWhileReading(200);
  ReadAll();
  EXPECT_GT(Counts().deferred, 0u);
  EXPECT_GT(Counts().shed, 50u);
  EXPECT_EQ(Counts().dropped, 0u);
  EXPECT_EQ(Delivered(), produced_);
  EXPECT_EQ(SamplesEnding(model::StackEnd::kShed), Counts().shed);
  for (const auto& sample : SeenIn(sink_)) EXPECT_EQ(std::get<3>(sample), "/sh");  // the pc stays
}

TEST_F(PressureTest, ANearlyFullOutputShedsStacks) {
  MakePairs({{0, 1}});
  Produce(20);
  output_ = QueueState::kNearlyFull;
  pairs_[0]->Pass(false);
  EXPECT_EQ(Counts().shed, 20u);
  output_ = QueueState::kOpen;
  Produce(20);
  pairs_[0]->Pass(false);
  EXPECT_EQ(Counts().shed, 20u);
  pairs_[0]->Pass(true);
  EXPECT_EQ(Delivered(), 40u);
  EXPECT_EQ(SamplesEnding(model::StackEnd::kShed), 20u);
}

TEST_F(PressureTest, AFullOutputDropsSamplesAndGoesOnWhenItIsOpen) {
  MakePairs({{0, 1}});
  Produce(30);
  output_ = QueueState::kFull;
  pairs_[0]->Pass(false);
  EXPECT_EQ(Counts().dropped, 30u);
  EXPECT_EQ(table_.FindThread(10)->process->samples, 0u);
  output_ = QueueState::kOpen;
  Produce(30);
  ReadAll();
  EXPECT_EQ(Delivered(), 30u);
  EXPECT_EQ(Delivered() + Counts().dropped, produced_);
}

TEST_F(PressureTest, EveryRungAtOnceAddsUp) {
  MakePairs({{0, 1}}, {}, 8 * 1024);
  ProduceWhileReading(400);
  const auto produce = while_reading_;
  while_reading_ = [this, produce] {
    output_ = produced_ > 200 && produced_ < 300 ? QueueState::kFull : QueueState::kOpen;
    produce();
  };
  ReadAll();
  EXPECT_GT(Counts().deferred, 0u);
  EXPECT_GT(Counts().shed, 0u);
  EXPECT_GT(Counts().dropped, 0u);
  EXPECT_EQ(Delivered() + Counts().dropped, produced_);
  EXPECT_EQ(SamplesEnding(model::StackEnd::kShed), Counts().shed);
}

TEST_F(PressureTest, CopiesWaitWhileTheOutputIsStuckAndTheEndTakesThemAll) {
  MakePairs({{0, 1}});
  ProduceWhileReading(60);
  pairs_[0]->Pass(false);
  const std::uint64_t before = Counts().deferred;
  ASSERT_GT(before, 0u);
  output_ = QueueState::kFull;
  pairs_[0]->Pass(false);
  EXPECT_GT(pairs_[0]->SleepMs(100), 0);  // no use in turning round and round
  pairs_[0]->Pass(true);
  EXPECT_EQ(Delivered() + Counts().dropped, produced_);
}

TEST_F(PressureTest, ThreadsOfOthersAreNeverCountedAsDropped) {
  index_.Add(90, {.event = 0, .origin = kEveryTask});
  PutSample(samples_[0], 99, 100, 0x1800, 90);
  MakePairs({{0, 1}}, {.cpu_wide = true});
  output_ = QueueState::kFull;
  pairs_[0]->Pass(false);
  EXPECT_EQ(Counts().dropped, 0u);
}

}  // namespace
}  // namespace prof::collect
