// The order in which readers apply side-band and take samples, over fake rings: one pair and two.
#include "collect/reader_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collect/readers.h"
#include "reader_fixture.h"

namespace prof::collect {
namespace {

class ReaderPairTest : public ReaderFixture {};

TEST_F(ReaderPairTest, AppliesSideBandOfAnyCpuBeforeTheSamplesAfterIt) {
  table_.AddThread(10, 10, "app", 10);
  PutSample(samples_[0], 10, 100);
  PutSample(samples_[0], 10, 300);
  PutSample(samples_[1], 10, 500);
  side_band_[1].PutMmap(10, "/a", 50);
  side_band_[0].PutMmap(10, "/c", 400);
  side_band_[1].PutMmap(10, "/b", 200);
  Pass();
  EXPECT_EQ(SampledPaths(), (std::vector<std::string>{"/a", "/b", "/c"}));
}

TEST_F(ReaderPairTest, AnExecDoesNotReachBackToOlderSamples) {
  table_.AddThread(10, 10, "sh", 10);
  side_band_[0].PutMmap(10, "/sh", 50);
  side_band_[0].PutComm(10, "app", true, 200);
  side_band_[0].PutMmap(10, "/app", 210);
  PutSample(samples_[1], 10, 199);
  PutSample(samples_[1], 10, 220);
  Pass();
  EXPECT_EQ(SampledPaths(), (std::vector<std::string>{"/sh", "/app"}));
  const auto threads = sink_.All<model::ThreadDef>();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].name, "sh");
  const auto renames = sink_.All<model::ThreadRename>();
  ASSERT_EQ(renames.size(), 1u);
  EXPECT_EQ(renames[0].name, "app");
  EXPECT_EQ(renames[0].time_ns, 200u);
}

TEST_F(ReaderPairTest, PutsTheSamplesOfAllCpusInOrderOfTime) {
  table_.AddThread(10, 10, "app", 10);
  for (const std::uint64_t time_ns : {100, 400, 500}) PutSample(samples_[0], 10, time_ns);
  for (const std::uint64_t time_ns : {200, 300, 600}) PutSample(samples_[1], 10, time_ns);
  Pass();
  EXPECT_EQ(SampleTimes(), (std::vector<std::uint64_t>{100, 200, 300, 400, 500, 600}));
}

TEST_F(ReaderPairTest, AThreadWithTwoSetsOfEventsIsSampledByItsOwn) {
  table_.AddThread(10, 10, "app", 10);
  table_.AddThread(10, 12, "app", 12);
  PutSample(samples_[0], 12, 100, 0x1800, kAppId);  // inherited before it was attached to
  PutSample(samples_[0], 12, 101, 0x1800, kOtherId);
  Pass();
  EXPECT_EQ(SampleTimes(), std::vector<std::uint64_t>{101});
}

TEST_F(ReaderPairTest, CpuTimeOfAThreadWithTwoSetsOfEventsCountsOnce) {
  table_.AddThread(10, 10, "app", 10);
  ThreadState& child = table_.AddThread(10, 13, "app", 10);
  for (const std::uint64_t id : {kAppId, kOtherId}) {
    // { pid, tid }, { value, enabled, running, id }
    side_band_[0].PutSideBand(PERF_RECORD_READ, 0, {Pair(10, 13), 70, 80, 80, id}, 10, 13, 50, id);
  }
  Pass();
  EXPECT_EQ(child.used_ns, 70u);
}

TEST_F(ReaderPairTest, ThreadsOfOthersAreLeftOutOfCpuWideEvents) {
  table_.AddThread(10, 10, "app", 10);
  index_.Add(90, {.event = 0, .origin = kEveryTask});
  PutSample(samples_[0], 10, 100, 0x1800, 90);
  PutSample(samples_[0], 99, 200, 0x1800, 90);
  Pass({.cpu_wide = true});
  EXPECT_EQ(SampleTimes(), std::vector<std::uint64_t>{100});
}

TEST_F(ReaderPairTest, AThreadThatNothingAnnouncedIsAdopted) {
  PutSample(samples_[0], 10, 100);
  Pass();
  EXPECT_EQ(sink_.All<model::ThreadDef>().at(0).name, "adopted");
  EXPECT_EQ(target_->counts().unattributed, 0u);
}

TEST_F(ReaderPairTest, SamplesOfThreadsThatNobodyNamedAreCounted) {
  table_.AddThread(10, 10, "app", 10);
  PutSample(samples_[0], 10, 90);
  PutSample(samples_[0], 11, 100);
  PutSample(samples_[0], 11, 110);
  adopted_name_ = "";  // it had ended before /proc was read
  Pass();
  EXPECT_EQ(SampleTimes(), (std::vector<std::uint64_t>{90, 100, 110}));
  EXPECT_EQ(target_->counts().unattributed, 2u);
}

TEST_F(ReaderPairTest, CountsLossesAndWhatItCannotRead) {
  table_.AddThread(10, 10, "app", 10);
  samples_[0].PutSideBand(PERF_RECORD_LOST, 0, {kAppId, 5}, 10, 10, 50);
  side_band_[0].PutSideBand(PERF_RECORD_LOST, 0, {1, 3}, 10, 10, 60);
  PutSample(samples_[1], 10, 70, 0x1800, 4711);  // of no event of ours
  samples_[1].Put(PERF_RECORD_THROTTLE, 0, {});
  Pass();
  EXPECT_EQ(pairs_[0]->counts().lost_records, 5u);
  EXPECT_EQ(pairs_[0]->counts().bad_records, 2u);
  EXPECT_EQ(target_->counts().lost, 3u);
  EXPECT_EQ(resyncs_, 1);
  EXPECT_EQ(writer_.samples(), 0u);
}

// A recording of its own within a test.
struct Recording final : ReaderFixture {
  Recording() : ReaderFixture(model::CallGraphMode::kNone, 64 * 1024) {}
  void TestBody() override {}
  using ReaderFixture::MakePairs;
  using ReaderFixture::pairs_;
  using ReaderFixture::sink_;

  // A shell and its children fork, exec, load libraries and are sampled on two CPUs; the news of
  // it comes on either CPU's ring.
  void Fill(unsigned seed) {
    table_.AddThread(10, 10, "sh", 10);
    std::uint32_t newest = 10;
    std::uint64_t random = seed;
    const auto pick = [&random](std::uint64_t limit) {
      random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
      return (random >> 33) % limit;
    };
    for (std::uint64_t time_ns = 100; time_ns < 1'300; ++time_ns) {
      FakeRing& side_band = side_band_[pick(2)];
      const auto pid = static_cast<std::uint32_t>(10 + pick(newest - 9));
      const std::string name = std::to_string(time_ns);
      switch (pick(12)) {
        case 0:
          ++newest;
          side_band.PutSideBand(PERF_RECORD_FORK, 0,
                                {Pair(newest, pid), Pair(newest, pid), time_ns}, pid, pid, time_ns);
          break;
        case 1:
          side_band.PutComm(pid, name, true, time_ns);
          break;
        case 2:
        case 3:
          side_band.PutMmap(pid, "/" + name, time_ns);
          break;
        default:
          PutSample(samples_[pick(2)], pid, time_ns, 0x1800, kAppId, pid);
      }
    }
  }
  [[nodiscard]] std::vector<SeenSample> Seen() const {
    auto seen = SeenIn(sink_);
    std::ranges::sort(seen);
    return seen;
  }
};

std::vector<SeenSample> SeenByOnePair(unsigned seed) {
  Recording one;
  one.Fill(seed);
  one.MakePairs({{0, 1}});
  one.pairs_[0]->Pass(true);
  EXPECT_TRUE(std::ranges::is_sorted(SeenIn(one.sink_), {},
                                     [](const SeenSample& sample) { return std::get<0>(sample); }));
  return one.Seen();
}

TEST(TwoPairs, SeeWhatOneSeesWhicheverIsAhead) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto expected = SeenByOnePair(seed);
    ASSERT_GT(expected.size(), 700u);
    for (const std::size_t first : {0U, 1U}) {
      Recording two;
      two.Fill(seed);
      two.MakePairs({{0}, {1}});
      two.pairs_[first]->Pass(false);  // all that it has; the other one's samples are older now
      EXPECT_TRUE(two.sink_.All<model::Sample>().empty());
      two.pairs_[1 - first]->Pass(false);
      two.pairs_[first]->Pass(true);
      two.pairs_[1 - first]->Pass(true);
      EXPECT_EQ(two.Seen(), expected) << "seed " << seed << ", first " << first;
      EXPECT_TRUE(std::ranges::is_sorted(
          SeenIn(two.sink_), {}, [](const SeenSample& sample) { return std::get<0>(sample); }));
    }
  }
}

TEST(TwoPairs, SeeWhatOneSeesOnThreadsOfTheirOwn) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Recording two;
    two.Fill(seed);
    two.MakePairs({{0}, {1}});
    std::vector<Readers::Reader> readers;
    for (auto& pair : two.pairs_)
      readers.push_back({.pair = std::move(pair), .ring_fds = {}, .pin_to_cpu = std::nullopt});
    auto threads = Readers::Create(std::move(readers), [] {});
    ASSERT_TRUE(threads);
    ASSERT_TRUE((*threads)->Start());
    (*threads)->Finish();
    EXPECT_EQ(two.Seen(), SeenByOnePair(seed)) << "seed " << seed;
  }
}

TEST_F(ReaderPairTest, SideBandThatComesLateIsThereForTheOtherPairsOlderSample) {
  table_.AddThread(10, 10, "app", 10);
  MakePairs({{0}, {1}});
  side_band_[0].PutMmap(10, "/a", 50);
  PutSample(samples_[0], 10, 500);
  pairs_[0]->Pass(false);
  side_band_[1].PutMmap(10, "/b", 400);
  PutSample(samples_[1], 10, 300);
  PutSample(samples_[1], 10, 450);
  pairs_[1]->Pass(false);
  pairs_[0]->Pass(true);
  pairs_[1]->Pass(true);
  EXPECT_EQ(SampledPaths(), (std::vector<std::string>{"/a", "/b", "/a"}));
}

TEST_F(ReaderPairTest, SamplesWaitForThePairThatIsBehind) {
  table_.AddThread(10, 10, "app", 10);
  MakePairs({{0}, {1}});
  PutSample(samples_[0], 10, 500);
  pairs_[0]->Pass(false);
  EXPECT_TRUE(SampleTimes().empty());
  PutSample(samples_[1], 10, 450);
  pairs_[1]->Pass(false);
  EXPECT_EQ(SampleTimes(), (std::vector<std::uint64_t>{450, 500}));
}

TEST(PlanReaders, OnePairFor32CpusOrAsAsked) {
  using Plan = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(PlanReaders({}, 2), (Plan{{0, 1}}));
  EXPECT_EQ(PlanReaders({.count = 2}, 3), (Plan{{0, 1}, {2}}));
  EXPECT_EQ(PlanReaders({.count = 9}, 2), (Plan{{0}, {1}}));
  EXPECT_EQ(PlanReaders({.pinned = true}, 3), (Plan{{0}, {1}, {2}}));
  EXPECT_EQ(PlanReaders({}, 32).size(), 1u);
  EXPECT_EQ(PlanReaders({}, 33).size(), 2u);
  const Plan many = PlanReaders({}, 96);
  ASSERT_EQ(many.size(), 3u);
  for (const auto& cpus : many) EXPECT_EQ(cpus.size(), 32u);
}

}  // namespace
}  // namespace prof::collect
