// Processes and threads over time, from synthesized side-band.
#include "collect/process_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collect/event_index.h"
#include "support/temp_dir.h"

namespace prof::collect {
namespace {

class ProcessTableTest : public testing::Test, protected ProcessTable::Observer {
 protected:
  void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    SetName(thread, name, time_ns, exec);
    renames_.push_back(thread.name + "@" + std::to_string(time_ns) + (exec ? " exec" : ""));
  }
  void OnNamesSettled(ThreadState& thread, std::uint64_t time_ns) override {
    SettleNames(thread, time_ns);
  }
  void OnThreadGone(ThreadState& thread) override {
    gone_.push_back(thread.name + " " + std::to_string(thread.used_ns));
  }

  static perf::ForkRecord Fork(std::uint32_t pid, std::uint32_t tid, std::uint32_t parent_pid,
                               std::uint32_t parent_tid, std::uint64_t time_ns) {
    return {.pid = pid,
            .parent_pid = parent_pid,
            .tid = tid,
            .parent_tid = parent_tid,
            .time_ns = time_ns};
  }
  static perf::CommRecord Comm(std::uint32_t pid, std::uint32_t tid, std::string_view name,
                               bool exec, std::uint64_t time_ns) {
    return {.id = {.time_ns = time_ns}, .pid = pid, .tid = tid, .exec = exec, .comm = name};
  }
  static perf::MmapRecord Mmap(std::uint32_t pid, std::uint64_t start, std::string_view path,
                               std::uint64_t time_ns) {
    return {.id = {.time_ns = time_ns},
            .pid = pid,
            .tid = pid,
            .start = start,
            .length = 0x1000,
            .executable = true,
            .path = path};
  }
  std::string PathAt(std::uint32_t pid, std::uint64_t address) {
    const auto space = table_.FindProcess(pid)->mappings.Newest();
    const model::Mapping* mapping = space->Find({address});
    return mapping == nullptr ? "" : modules_.module(mapping->module).path;
  }

  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  ModuleTable modules_{fs_};
  ProcessTable table_{modules_, *this, Following::kChildren};
  std::vector<std::string> renames_, gone_;
};

TEST_F(ProcessTableTest, TheCommandIsKnownFromItsExecOn) {
  table_.ExpectCommand(10);
  table_.Apply(Comm(10, 10, "prof", false, 1));
  EXPECT_EQ(table_.FindThread(10), nullptr);
  table_.Apply(Comm(10, 10, "app", true, 2));
  ASSERT_NE(table_.FindThread(10), nullptr);
  EXPECT_EQ(table_.FindThread(10)->name, "app");
  EXPECT_EQ(table_.FindThread(10)->origin, 10);
}

TEST_F(ProcessTableTest, ForkCopiesMappingsUntilEitherSideChangesThem) {
  table_.AddThread(10, 10, "sh", 10);
  table_.Apply(Mmap(10, 0x1000, "/bin/sh", 1));
  table_.Apply(Fork(11, 11, 10, 10, 2));
  table_.Apply(Mmap(11, 0x1000, "/lib/late.so", 3));
  EXPECT_EQ(PathAt(10, 0x1800), "/bin/sh");
  EXPECT_EQ(PathAt(11, 0x1800), "/lib/late.so");
  EXPECT_EQ(table_.FindThread(11)->origin, 10);
  EXPECT_EQ(table_.FindThread(11)->name, "sh");
}

TEST_F(ProcessTableTest, ExecDropsTheOldMappingsAndRenames) {
  table_.AddThread(10, 10, "sh", 10);
  table_.Apply(Mmap(10, 0x1000, "/bin/sh", 1));
  table_.Apply(Comm(10, 10, "true", true, 5));
  EXPECT_EQ(PathAt(10, 0x1800), "");
  EXPECT_EQ(renames_, std::vector<std::string>{"true@5 exec"});
}

TEST_F(ProcessTableTest, ThreadsShareTheirProcess) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(10, 12, 10, 10, 2));
  table_.Apply(Mmap(10, 0x2000, "/lib/plugin.so", 3));
  EXPECT_EQ(table_.FindThread(12)->process, table_.FindThread(10)->process);
  table_.Apply(Comm(10, 12, "worker", false, 4));
  EXPECT_EQ(table_.FindThread(12)->name, "worker");
  EXPECT_EQ(table_.FindThread(10)->name, "app");
}

TEST_F(ProcessTableTest, ForksOfUnknownParentsAreNotOurs) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(21, 21, 20, 20, 2));
  EXPECT_EQ(table_.FindThread(21), nullptr);
}

TEST_F(ProcessTableTest, SideBandOlderThanTheSnapshotIsSkipped) {
  ThreadState& thread = table_.AddThread(10, 10, "new", 10);
  thread.process->snapshot_ns = 100;
  table_.Apply(Mmap(10, 0x1000, "/old", 50));
  table_.Apply(Comm(10, 10, "old", false, 50));
  EXPECT_EQ(PathAt(10, 0x1800), "");
  EXPECT_EQ(table_.FindThread(10)->name, "new");
  table_.Apply(Mmap(10, 0x1000, "/fresh", 150));
  EXPECT_EQ(PathAt(10, 0x1800), "/fresh");
}

TEST_F(ProcessTableTest, AThreadFoundWhileAttachingKeepsItsOwnOrigin) {
  table_.AddThread(10, 10, "app", 10);
  table_.AddThread(10, 12, "app", 12);
  table_.FindProcess(10)->snapshot_ns = 100;
  table_.Apply(Fork(10, 12, 10, 10, 50));
  EXPECT_EQ(table_.FindThread(12)->origin, 12);
}

TEST_F(ProcessTableTest, AThreadThatStartedDuringTheAttachIsNamedByItsOwnRecord) {
  table_.AddThread(10, 10, "app", 10);
  table_.FindProcess(10)->snapshot_ns = 100;
  table_.Apply(Fork(10, 12, 10, 10, 50));
  EXPECT_EQ(table_.FindThread(12)->name, "app");
  table_.Apply(Comm(10, 12, "worker", false, 60));
  EXPECT_EQ(table_.FindThread(12)->name, "worker");
}

TEST_F(ProcessTableTest, DeadThreadsAreForgottenOnlyAfterTheTimeGiven) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(11, 11, 10, 10, 2));
  table_.Apply(perf::ExitRecord{.pid = 11, .tid = 11, .time_ns = 5});
  table_.Apply(perf::ReadRecord{.pid = 11, .tid = 11, .value = 70});
  EXPECT_EQ(table_.live_threads(), 1u);
  table_.Purge(5);
  EXPECT_NE(table_.FindThread(11), nullptr);
  table_.Purge(6);
  EXPECT_EQ(table_.FindThread(11), nullptr);
  EXPECT_EQ(table_.FindProcess(11), nullptr);
  EXPECT_EQ(gone_, std::vector<std::string>{"app 70"});
}

TEST_F(ProcessTableTest, AReusedTidIsANewThread) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(11, 11, 10, 10, 2));
  table_.Apply(Comm(11, 11, "first", true, 3));
  table_.Apply(perf::ExitRecord{.pid = 11, .tid = 11, .time_ns = 5});
  table_.Apply(Fork(11, 11, 10, 10, 8));
  EXPECT_EQ(gone_, std::vector<std::string>{"first 0"});
  EXPECT_EQ(table_.FindThread(11)->name, "app");
  EXPECT_EQ(table_.live_threads(), 2u);
  table_.Purge(100);  // the first one's exit must not take the second one away
  EXPECT_NE(table_.FindThread(11), nullptr);
}

TEST_F(ProcessTableTest, AProcessOutlivesItsFirstThread) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(10, 12, 10, 10, 2));
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 5});
  table_.Purge(100);
  EXPECT_EQ(table_.FindThread(10), nullptr);
  table_.Apply(Mmap(10, 0x2000, "/lib/plugin.so", 200));
  EXPECT_EQ(PathAt(10, 0x2800), "/lib/plugin.so");
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 12, .time_ns = 205});
  table_.Purge(300);
  EXPECT_EQ(table_.FindProcess(10), nullptr);
}

// Stacks of one owner are continued from each other: what an exec or a new thread begins shares
// no frame with what was there before, even where addresses are equal.
TEST_F(ProcessTableTest, StacksBelongToOneThreadAndOneProgram) {
  table_.AddThread(10, 10, "app", 10);
  const StackOwner first = table_.FindThread(10)->stack_owner;
  table_.Apply(Fork(10, 12, 10, 10, 2));
  const StackOwner second = table_.FindThread(12)->stack_owner;
  EXPECT_NE(second, first);
  table_.Apply(Comm(10, 10, "renamed", false, 3));
  table_.Apply(Mmap(10, 0x1000, "/lib/late.so", 4));
  EXPECT_EQ(table_.FindThread(10)->stack_owner, first);
  table_.Apply(Comm(10, 10, "next", true, 5));
  const StackOwner executed = table_.FindThread(10)->stack_owner;
  EXPECT_NE(executed, first);
  EXPECT_NE(executed, second);
  EXPECT_EQ(table_.FindThread(12)->stack_owner, second);
}

TEST_F(ProcessTableTest, AReusedTidIsAnotherOwnerOfStacks) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(11, 11, 10, 10, 2));
  const StackOwner first = table_.FindThread(11)->stack_owner;
  table_.Apply(perf::ExitRecord{.pid = 11, .tid = 11, .time_ns = 5});
  table_.Apply(Fork(11, 11, 10, 10, 8));
  const StackOwner reused = table_.FindThread(11)->stack_owner;
  EXPECT_NE(reused, first);
  EXPECT_NE(reused, table_.FindThread(10)->stack_owner);
}

TEST_F(ProcessTableTest, AnExecInASecondThreadIsAnotherOwnerOfStacks) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(10, 12, 10, 10, 2));
  const StackOwner first = table_.FindThread(10)->stack_owner;
  const StackOwner second = table_.FindThread(12)->stack_owner;
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 5});
  table_.Apply(Comm(10, 10, "next", true, 6));
  EXPECT_NE(table_.FindThread(10)->stack_owner, first);
  EXPECT_NE(table_.FindThread(10)->stack_owner, second);
}

// The kernel: de_thread() ends the other threads, then the caller of execve takes the first
// one's tid, and only then comes the COMM.
TEST_F(ProcessTableTest, AnExecInASecondThreadTakesTheFirstOnesPlace) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(10, 12, 10, 10, 2));
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 5});
  table_.Apply(Comm(10, 10, "next", true, 6));
  table_.Apply(Mmap(10, 0x1000, "/bin/next", 7));
  EXPECT_EQ(table_.live_threads(), 1u);
  table_.Purge(100);
  ASSERT_NE(table_.FindThread(10), nullptr);
  EXPECT_EQ(table_.FindThread(10)->exited_ns, 0u);
  EXPECT_EQ(table_.FindThread(10)->name, "next");
  EXPECT_TRUE(table_.FindThread(10)->owns_events);
  EXPECT_EQ(table_.FindThread(12), nullptr);
  EXPECT_EQ(PathAt(10, 0x1800), "/bin/next");
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 200});
  EXPECT_EQ(table_.live_threads(), 0u);
}

TEST_F(ProcessTableTest, AnExecLongAfterTheFirstThreadEndedIsFollowed) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(10, 12, 10, 10, 2));
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 5});
  table_.Purge(100);
  table_.Apply(Comm(10, 10, "next", true, 200));
  ASSERT_NE(table_.FindThread(10), nullptr);
  EXPECT_EQ(table_.FindThread(10)->name, "next");
  EXPECT_EQ(table_.FindThread(10)->origin, 10);
  EXPECT_EQ(table_.live_threads(), 1u);
}

TEST_F(ProcessTableTest, AnExecKeepsTheOriginOfTheThreadThatCalledIt) {
  table_.AddThread(10, 10, "app", 10);
  table_.AddThread(10, 12, "app", 12);
  table_.Apply(perf::ExitRecord{.pid = 10, .tid = 10, .time_ns = 5});
  table_.Apply(Comm(10, 10, "next", true, 6));
  EXPECT_EQ(table_.FindThread(10)->origin, 12);
  EXPECT_TRUE(table_.FindThread(10)->owns_events);
  EXPECT_FALSE(table_.FindThread(12)->owns_events);
  EXPECT_EQ(table_.live_threads(), 1u);
}

TEST_F(ProcessTableTest, AForkAnnouncedTwiceIsOneThread) {
  table_.AddThread(10, 10, "app", 10);
  table_.Apply(Fork(11, 11, 10, 10, 2'000));
  table_.Apply(Mmap(11, 0x1000, "/lib/a.so", 2'050));
  table_.Apply(Fork(11, 11, 10, 10, 2'100));
  EXPECT_EQ(PathAt(11, 0x1800), "/lib/a.so");
  EXPECT_TRUE(gone_.empty());
  EXPECT_EQ(table_.live_threads(), 2u);
}

TEST_F(ProcessTableTest, ChildrenAreNotFollowedWhenNobodyIs) {
  ProcessTable table{modules_, *this, Following::kNobody};
  table.AddThread(10, 10, "app", 10);
  table.Apply(Fork(11, 11, 10, 10, 2));
  EXPECT_EQ(table.FindThread(11), nullptr);
  EXPECT_EQ(table.live_threads(), 1u);
}

TEST_F(ProcessTableTest, AThreadOfAnUnknownCreatorJoinsItsProcess) {
  ProcessTable table{modules_, *this, Following::kEverybody};
  table.AddThread(10, 10, "app", kEveryTask);
  table.Apply(Mmap(10, 0x1000, "/bin/app", 1));
  table.Apply(Fork(10, 13, 10, 12, 2));
  EXPECT_EQ(table.FindThread(13)->process, table.FindThread(10)->process);
}

}  // namespace
}  // namespace prof::collect
