// The queue in front of a sink: order, bound, errors, the end.
#include "collect/queued_sink.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/vector_sink.h"

namespace prof::collect {
namespace {

constexpr std::size_t kLimit = 1024 * 1024;

// Takes nothing until it is opened; may refuse then.
class GatedSink final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
    if (refuses) return Fail(ErrorKind::kSystem, "disk full");
    return kept.Append(record);
  }
  void Open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool refuses = false;  // set before Open()
  test::VectorSink kept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class CountingSink final : public model::RecordSink {
 public:
  Status Append(const model::Record&) override {
    last_thread = std::this_thread::get_id();
    ++appended;
    return {};
  }
  Status Flush() override {
    flushed_after = appended;
    return {};
  }
  std::thread::id last_thread;
  int appended = 0;
  int flushed_after = -1;
};

model::Record SampleAt(std::uint64_t time_ns) { return model::Sample{.time_ns = time_ns}; }

TEST(QueuedSink, KeepsTheOrderOfAllKinds) {
  test::VectorSink sink;
  QueuedSink queue(sink, kLimit);
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const auto id = static_cast<model::StackId>(model::kStackRootCount + i);
    ASSERT_TRUE(queue.Append(model::StackNodeDef{.id = id}));
    ASSERT_TRUE(queue.Append(SampleAt(i)));
    if (i % 100 != 0) continue;
    ASSERT_TRUE(queue.Append(model::ThreadRename{.time_ns = i, .name = "x"}));
  }
  ASSERT_TRUE(queue.Finish());
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    EXPECT_EQ(std::get<model::StackNodeDef>(sink.records.at(at++)).id, model::kStackRootCount + i);
    EXPECT_EQ(std::get<model::Sample>(sink.records.at(at++)).time_ns, i);
    if (i % 100 != 0) continue;
    EXPECT_EQ(std::get<model::ThreadRename>(sink.records.at(at++)).time_ns, i);
  }
  EXPECT_EQ(at, sink.records.size());
}

TEST(QueuedSink, FlushReachesTheSinkBehindWhatWasAppended) {
  CountingSink sink;
  QueuedSink queue(sink, kLimit);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.Append(SampleAt(1)));
  ASSERT_TRUE(queue.Flush());
  ASSERT_TRUE(queue.Append(SampleAt(2)));
  ASSERT_TRUE(queue.Finish());
  EXPECT_EQ(sink.flushed_after, 3);
  EXPECT_EQ(sink.appended, 4);
  EXPECT_NE(sink.last_thread, std::this_thread::get_id());
}

TEST(QueuedSink, AfterTheEndTheSinkIsTheCallers) {
  CountingSink sink;
  QueuedSink queue(sink, kLimit);
  ASSERT_TRUE(queue.Finish());
  ASSERT_TRUE(queue.Append(SampleAt(1)));
  EXPECT_EQ(sink.appended, 1);
  EXPECT_EQ(sink.last_thread, std::this_thread::get_id());
}

TEST(QueuedSink, SaysHowFullItIsAndLosesNothing) {
  GatedSink sink;
  QueuedSink queue(sink, kLimit);
  EXPECT_EQ(queue.state(), QueueState::kOpen);
  std::uint64_t count = 0;
  while (queue.state() == QueueState::kOpen) ASSERT_TRUE(queue.Append(SampleAt(count++)));
  EXPECT_EQ(queue.state(), QueueState::kNearlyFull);
  EXPECT_EQ(count, (kLimit / 4 * 3 + sizeof(model::Sample) - 1) / sizeof(model::Sample));
  while (queue.state() != QueueState::kFull) ASSERT_TRUE(queue.Append(SampleAt(count++)));
  ASSERT_TRUE(queue.Append(model::Loss{.count = 1}));  // taken all the same
  sink.Open();
  ASSERT_TRUE(queue.Finish());
  EXPECT_EQ(queue.state(), QueueState::kOpen);
  EXPECT_EQ(sink.kept.All<model::Sample>().size(), count);
  EXPECT_EQ(sink.kept.All<model::Loss>().size(), 1u);
}

TEST(QueuedSink, AFullQueueBeforeASinkThatFailsEnds) {
  GatedSink sink;
  sink.refuses = true;
  QueuedSink queue(sink, kLimit);
  while (queue.state() != QueueState::kFull) ASSERT_TRUE(queue.Append(SampleAt(1)));
  sink.Open();
  const Status end = queue.Finish();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "disk full");
  EXPECT_TRUE(sink.kept.records.empty());
}

TEST(QueuedSink, AnErrorComesBackFromALaterCall) {
  GatedSink sink;
  sink.refuses = true;
  sink.Open();
  QueuedSink queue(sink, kLimit);
  Status status;
  while (status) status = queue.Append(SampleAt(1));  // the queue hands over sooner or later
  EXPECT_EQ(status.error().message, "disk full");
}

TEST(QueuedSink, MayBeLeftWithoutAnEnd) {
  test::VectorSink sink;
  {
    QueuedSink queue(sink, kLimit);
    ASSERT_TRUE(queue.Append(SampleAt(7)));
  }
  EXPECT_EQ(sink.All<model::Sample>().size(), 1u);
}

}  // namespace
}  // namespace prof::collect
