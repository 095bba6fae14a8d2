// Every count of what a recording did not get becomes a loss of its own cause.
#include "collect/loss_records.h"

#include <gtest/gtest.h>

#include <map>

#include "support/temp_dir.h"
#include "support/vector_sink.h"

namespace prof::collect {
namespace {

using model::LossCause;

class LossRecordsTest : public testing::Test {
 protected:
  void Append(const PairCounts& counts, const SideBandCounts& side_band) {
    writer_.Begin({}, {});
    AppendLosses(events_, counts, side_band, writer_, summary_);
    for (const model::Loss& loss : sink_.All<model::Loss>()) found_[loss.cause] += loss.count;
  }

  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  test::VectorSink sink_;
  ModuleTable modules_{fs_};
  StreamWriter writer_{sink_, modules_, 1'000};
  EventSet events_{{}, {}, {}, {.read_lost = false}};
  RecordSummary summary_;
  std::map<LossCause, std::uint64_t> found_;
};

TEST_F(LossRecordsTest, EachCountHasItsCause) {
  Append({.lost_records = 1, .throttled = 2, .bad_records = 3, .cut = 6, .shed = 5, .dropped = 4},
         {.lost = 7, .bad_records = 8, .unattributed = 9});
  const std::map<LossCause, std::uint64_t> expected = {
      {LossCause::kKernelRing, 1},   {LossCause::kThrottled, 2},   {LossCause::kBadRecord, 3 + 8},
      {LossCause::kQueueFull, 4},    {LossCause::kStackShed, 5},   {LossCause::kStackCut, 6},
      {LossCause::kSideBandRing, 7}, {LossCause::kUnattributed, 9}};
  EXPECT_EQ(found_, expected);
  EXPECT_EQ(summary_.lost, 1u + 4u);
  EXPECT_TRUE(summary_.lost_at_least);
}

TEST_F(LossRecordsTest, NothingLostIsNoRecord) {
  Append({}, {});
  EXPECT_TRUE(found_.empty());
  EXPECT_FALSE(summary_.lost_at_least);
}

}  // namespace
}  // namespace prof::collect
