// Ids before their use, samples in order, epochs.
#include "collect/stream_writer.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/vector_sink.h"

namespace prof::collect {
namespace {

class StreamWriterTest : public testing::Test {
 protected:
  static ThreadState Thread(std::uint32_t tid, const std::string& name) {
    ThreadState thread{.tid = tid, .name = name};
    thread.process = std::make_shared<ProcessState>();
    thread.process->pid = tid;
    return thread;
  }
  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  ModuleTable modules_{fs_};
  test::VectorSink sink_;
};

TEST_F(StreamWriterTest, DefinesEverythingOnceBeforeItsUse) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {{.name = "cpu-clock"}});
  ThreadState thread = Thread(7, "app");
  for (int i = 0; i < 2; ++i) {
    const auto leaf = writer.Intern(writer.Intern(1, {1, model::FrameKind::kReturn, {0x20}}),
                                    {1, model::FrameKind::kInstruction, {0x30}});
    writer.Add({.time_ns = 5, .thread = writer.IdOf(thread), .stack = leaf});
  }
  writer.Release(100);
  EXPECT_EQ(sink_.All<model::ModuleDef>().size(), 1u);
  EXPECT_EQ(sink_.All<model::ThreadDef>().size(), 1u);
  EXPECT_EQ(sink_.All<model::ProcessDef>().size(), 1u);
  EXPECT_EQ(sink_.All<model::StackNodeDef>().size(), 2u);
  ASSERT_EQ(sink_.All<model::Sample>().size(), 2u);
  EXPECT_EQ(sink_.All<model::Sample>()[0].stack, model::kStackRootCount + 1);
}

TEST_F(StreamWriterTest, SamplesLeaveInOrderOfTimeAndOnlyWhenReleased) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  for (const std::uint64_t time : {30, 10, 20}) writer.Add({.time_ns = time});
  writer.Release(25);
  ASSERT_EQ(sink_.All<model::Sample>().size(), 2u);
  EXPECT_EQ(sink_.All<model::Sample>()[0].time_ns, 10u);
  EXPECT_EQ(sink_.All<model::Sample>()[1].time_ns, 20u);
  writer.Release(31);
  EXPECT_EQ(sink_.All<model::Sample>().size(), 3u);
}

TEST_F(StreamWriterTest, AFullEpochReleasesItsSamplesAndRestartsIds) {
  StreamWriter writer(sink_, modules_, 2);
  writer.Begin({}, {});
  ThreadState thread = Thread(7, "app");
  const auto add = [&](std::uint64_t address, std::uint64_t time) {
    writer.TurnEpoch();
    const auto stack = writer.Intern(1, {0, model::FrameKind::kReturn, {address}});
    writer.Add({.time_ns = time, .thread = writer.IdOf(thread), .stack = stack});
  };
  add(0x10, 1);
  add(0x20, 2);
  add(0x30, 3);
  writer.Release(100);
  EXPECT_EQ(sink_.All<model::EpochBegin>().size(), 2u);
  EXPECT_EQ(sink_.All<model::ThreadDef>().size(), 2u);
  const auto nodes = sink_.All<model::StackNodeDef>();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[2].id, model::kStackRootCount);
  // The samples of the first epoch stand before the second one begins.
  int samples_before = 0;
  bool second = false;
  for (const auto& record : sink_.records) {
    if (const auto* epoch = std::get_if<model::EpochBegin>(&record);
        epoch != nullptr && epoch->index == 1)
      second = true;
    if (std::holds_alternative<model::Sample>(record) && !second) ++samples_before;
  }
  EXPECT_EQ(samples_before, 2);
}

TEST_F(StreamWriterTest, RenamesOfUnknownThreadsAreLeftToTheirDefinition) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  ThreadState thread = Thread(7, "before");
  writer.Rename(thread, "then", 5, true);
  writer.SettleNames(thread, 5);
  EXPECT_TRUE(sink_.All<model::ThreadRename>().empty());
  writer.IdOf(thread);
  EXPECT_EQ(sink_.All<model::ThreadDef>().at(0).name, "then");
  writer.Rename(thread, "after", 9, false);
  ASSERT_EQ(sink_.All<model::ThreadRename>().size(), 1u);
  EXPECT_EQ(sink_.All<model::ThreadRename>()[0].name, "after");
}

TEST_F(StreamWriterTest, ASampleOlderThanRenamesMeetsTheNameOfItsTime) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  ThreadState thread = Thread(7, "sh");
  writer.Rename(thread, "app", 5, true);
  writer.Rename(thread, "worker", 9, false);
  writer.IdOf(thread);  // of a sample that waited since 4, say
  EXPECT_EQ(sink_.All<model::ThreadDef>().at(0).name, "sh");
  const auto renames = sink_.All<model::ThreadRename>();
  ASSERT_EQ(renames.size(), 2u);
  EXPECT_EQ(renames[0].name, "app");
  EXPECT_EQ(renames[0].time_ns, 5u);
  EXPECT_TRUE(renames[0].exec);
  EXPECT_EQ(renames[1].name, "worker");
  EXPECT_FALSE(renames[1].exec);
}

TEST_F(StreamWriterTest, NewNodesAreHitsAtTheirLookupAddress) {
  StreamWriter writer(sink_, modules_, 1000);
  writer.Begin({}, {});
  const auto kernel = modules_.KernelAt({0x1234});
  writer.Intern(1, {kernel, model::FrameKind::kReturn, {0x1000}});
  writer.Intern(1, {kernel, model::FrameKind::kInstruction, {0x2000}});
  const auto hits = modules_.Hits();
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].addresses, (std::vector<model::FileAddr>{{0xfff}, {0x2000}}));
}

class RefusingSink final : public model::RecordSink {
 public:
  Status Append(const model::Record&) override {
    ++calls;
    return Fail(ErrorKind::kSystem, "disk full");
  }
  int calls = 0;
};

TEST_F(StreamWriterTest, KeepsTheFirstErrorAndStops) {
  RefusingSink sink;
  StreamWriter writer(sink, modules_, 1000);
  writer.Begin({}, {{.name = "x"}});
  ASSERT_FALSE(writer.status());
  EXPECT_EQ(writer.status().error().message, "disk full");
  EXPECT_EQ(sink.calls, 1);
}

}  // namespace
}  // namespace prof::collect
