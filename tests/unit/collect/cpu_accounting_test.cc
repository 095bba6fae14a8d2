// How the counters of origins are split over the tasks below them.
#include "collect/cpu_accounting.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace prof::collect {
namespace {

class CpuAccountingTest : public testing::Test, protected ProcessTable::Observer {
 protected:
  void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    SetName(thread, name, time_ns, exec);
  }
  void OnNamesSettled(ThreadState&, std::uint64_t) override {}
  void OnThreadGone(ThreadState& thread) override { accounting_.ThreadGone(thread); }

  void StartChild(std::uint32_t pid, std::uint64_t time_ns, std::string_view name) {
    table_.Apply(perf::ForkRecord{
        .pid = pid, .parent_pid = 10, .tid = pid, .parent_tid = 10, .time_ns = time_ns});
    table_.Apply(perf::CommRecord{
        .id = {.time_ns = time_ns + 1}, .pid = pid, .tid = pid, .exec = true, .comm = name});
  }
  void EndChild(std::uint32_t pid, std::uint64_t time_ns, std::uint64_t used_ns) {
    table_.Apply(perf::ExitRecord{.pid = pid, .tid = pid, .time_ns = time_ns});
    table_.Apply(perf::ReadRecord{.pid = pid, .tid = pid, .value = used_ns});
  }
  model::CpuUsage UsageOf(const std::string& comm) const {
    for (const model::CpuUsage& usage : accounting_.Usage()) {
      if (usage.comm == comm) return usage;
    }
    return {};
  }

  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  ModuleTable modules_{fs_};
  ProcessTable table_{modules_, *this, Following::kChildren};
  std::uint64_t counted_ns_ = 0;
  CpuAccounting accounting_{table_, [this](pid_t) { return counted_ns_; }};
};

TEST_F(CpuAccountingTest, TheRestOfACounterIsTheTaskItself) {
  table_.AddThread(10, 10, "make", 10);
  StartChild(11, 100, "cc");
  EndChild(11, 200, 70);
  StartChild(12, 300, "cc");
  EndChild(12, 400, 20);
  table_.Purge(1'000);
  counted_ns_ = 100;
  accounting_.TakeLiving([](pid_t) { return 0; });
  EXPECT_EQ(UsageOf("cc").used_ns, 90u);
  EXPECT_EQ(UsageOf("cc").processes, 2u);
  EXPECT_EQ(UsageOf("cc").unsampled_used_ns, 90u);
  EXPECT_EQ(UsageOf("make").used_ns, 10u);
}

TEST_F(CpuAccountingTest, AChildThatStillRunsIsAskedFor) {
  table_.AddThread(10, 10, "sh", 10);
  StartChild(11, 100, "daemon");
  counted_ns_ = 100;
  accounting_.TakeLiving([](pid_t tid) { return tid == 11 ? 60 : 0; });
  EXPECT_EQ(UsageOf("daemon").used_ns, 60u);
  EXPECT_EQ(UsageOf("sh").used_ns, 40u);
}

TEST_F(CpuAccountingTest, AFirstTaskThatEndsEarlyLeavesNothingTwice) {
  table_.AddThread(10, 10, "sh", 10);
  StartChild(11, 100, "daemon");
  counted_ns_ = 30;
  EndChild(10, 200, 0);
  table_.Purge(300);
  EXPECT_EQ(UsageOf("sh").used_ns, 30u);
  EndChild(11, 400, 60);
  table_.Purge(500);
  EXPECT_EQ(UsageOf("daemon").used_ns, 60u);
}

TEST_F(CpuAccountingTest, TimeOutsideOfTheCountersIsSharedByProcesses) {
  table_.AddThread(10, 10, "sh", 10);
  counted_ns_ = 0;
  for (std::uint32_t pid = 11; pid <= 13; ++pid) {
    StartChild(pid, 100 * pid, "storm");
    EndChild(pid, 100 * pid + 50, 1000);
  }
  table_.Purge(10'000);
  counted_ns_ = 8000;
  accounting_.TakeLiving([](pid_t) { return 0; });
  accounting_.ShareRest(400);
  EXPECT_EQ(UsageOf("storm").used_ns, 3300u);
  EXPECT_EQ(UsageOf("storm").unsampled_used_ns, 3300u);
  EXPECT_EQ(UsageOf("sh").used_ns, 5100u);
}

TEST_F(CpuAccountingTest, SamplesOfEndingTasksTellWhoseThatTimeWas) {
  table_.AddThread(10, 10, "sh", 10);
  StartChild(11, 100, "cc1plus");
  EndChild(11, 200, 9000);
  table_.FindThread(11)->exiting_sampled_ns = 3000;
  table_.Purge(1'000);
  counted_ns_ = 10'000;
  accounting_.TakeLiving([](pid_t) { return 0; });
  accounting_.ShareRest(500);
  EXPECT_EQ(UsageOf("cc1plus").used_ns, 9500u);
  EXPECT_EQ(UsageOf("sh").used_ns, 1000u);
}

}  // namespace
}  // namespace prof::collect
