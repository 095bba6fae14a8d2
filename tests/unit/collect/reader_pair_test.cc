// The order in which readers apply side-band and take samples, over fake rings: one pair and two.
#include "collect/reader_pair.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  EXPECT_EQ(target_->counts().unattributed, 1u);
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

}  // namespace
}  // namespace prof::collect
