// What is learned from /proc after side-band was lost.
#include "collect/proc_resync.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "collect/event_index.h"
#include "support/temp_dir.h"

namespace prof::collect {
namespace {

class ProcResyncTest : public testing::Test, protected ProcessTable::Observer {
 protected:
  void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    SetName(thread, name, time_ns, exec);
  }
  void OnNamesSettled(ThreadState&, std::uint64_t) override {}
  void OnThreadGone(ThreadState&) override {}

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void HasThread(int pid, int tid, const std::string& name, const std::string& children = "") {
    const std::string task = "proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
    Write(task + "/children", children);
    Write("proc/" + std::to_string(tid) + "/comm", name + "\n");
    Write("proc/" + std::to_string(tid) + "/maps",
          "1000-2000 r-xp 00000000 00:00 7 /bin/" + name + "\n");
  }

  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  ModuleTable modules_{fs_};
  ProcessTable table_{modules_, *this, Following::kChildren};
};

TEST_F(ProcResyncTest, FindsGrandchildrenAndThreadsThatWereNotAnnounced) {
  table_.AddThread(10, 10, "make", 10);
  HasThread(10, 10, "make", "20 ");
  HasThread(20, 20, "sh");
  HasThread(20, 21, "worker", "30 ");
  HasThread(30, 30, "cc1plus");
  ResyncWithProc(fs_, 0, Following::kChildren, table_);
  ASSERT_NE(table_.FindThread(30), nullptr);
  EXPECT_EQ(table_.FindThread(30)->name, "cc1plus");
  EXPECT_EQ(table_.FindThread(30)->origin, 10);
  EXPECT_FALSE(table_.FindThread(30)->owns_events);
  EXPECT_EQ(table_.FindThread(30)->process->mappings.Newest()->size(), 1u);
  EXPECT_EQ(table_.FindThread(21)->process, table_.FindThread(20)->process);
}

TEST_F(ProcResyncTest, EndsThreadsThatAreGoneAndRenamesOthers) {
  table_.AddThread(10, 10, "old", 10);
  table_.AddThread(10, 12, "gone", 10);
  HasThread(10, 10, "new");
  ResyncWithProc(fs_, 0, Following::kChildren, table_);
  EXPECT_EQ(table_.FindThread(10)->name, "new");
  EXPECT_NE(table_.FindThread(12)->exited_ns, 0u);
  EXPECT_EQ(table_.live_threads(), 1u);
}

TEST_F(ProcResyncTest, FindsACommandWhoseExecWasLost) {
  HasThread(10, 10, "app");
  ResyncWithProc(fs_, 10, Following::kChildren, table_);
  ASSERT_NE(table_.FindThread(10), nullptr);
  EXPECT_TRUE(table_.FindThread(10)->owns_events);
}

}  // namespace
}  // namespace prof::collect
