// /proc of a made-up machine.
#include "collect/proc_snapshot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace prof::collect {
namespace {

class ProcSnapshotTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const auto full = root_.path() / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  test::TempDir root_;
  HostFs fs_{root_.path().string()};
};

TEST(MapsLineTest, ReadsExecutableLinesOnly) {
  const auto line = ParseMapsLine(
      "7f0000001000-7f0000003000 r-xp 00002000 fe:01 4711                       /usr/lib/a b.so");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->start, 0x7f0000001000u);
  EXPECT_EQ(line->end, 0x7f0000003000u);
  EXPECT_EQ(line->offset, 0x2000u);
  EXPECT_EQ(line->inode, 4711u);
  EXPECT_EQ(line->path, "/usr/lib/a b.so");
  EXPECT_FALSE(ParseMapsLine("7f0000001000-7f0000003000 rw-p 00002000 fe:01 4711 /usr/lib/a.so"));
}

TEST(MapsLineTest, TakesAnonymousMemoryAndRefusesGarbage) {
  const auto line = ParseMapsLine("1000-2000 rwxp 00000000 00:00 0 ");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->path, "");
  for (const char* bad : {"", "x", "1000-", "1000-2000", "1000-2000 r", "1000-2000 r-xp zz 00:00 0",
                          "1000-2000 r-xp 0 00:00"}) {
    EXPECT_FALSE(ParseMapsLine(bad)) << bad;
  }
}

TEST_F(ProcSnapshotTest, ListsThreadsAndChildren) {
  Write("proc/12/task/12/children", "30 31 ");
  Write("proc/12/task/14/children", "");
  Write("proc/12/comm", "two words\n");
  Write("proc/12/status", "Name:\tx\nTgid:\t12\n");
  EXPECT_EQ(*ListThreads(fs_, 12), (std::vector<pid_t>{12, 14}));
  EXPECT_EQ(ListChildren(fs_, 12), (std::vector<pid_t>{30, 31}));
  EXPECT_EQ(ThreadName(fs_, 12), "two words");
  EXPECT_EQ(*ProcessOf(fs_, 12), 12);
  EXPECT_FALSE(ListThreads(fs_, 13));
  EXPECT_EQ(ListProcesses(fs_), std::vector<pid_t>{12});
}

TEST_F(ProcSnapshotTest, KnowsWhoIsAlive) {
  Write("proc/12/stat", "12 (a) Z b) S 1 12 12 0");
  Write("proc/13/stat", "13 (app) Z 1 13 13 0");
  Write("proc/14/stat", "14 (app");
  EXPECT_TRUE(IsAlive(fs_, 12));
  EXPECT_FALSE(IsAlive(fs_, 13));
  EXPECT_FALSE(IsAlive(fs_, 14));
  EXPECT_FALSE(IsAlive(fs_, 15));
}

TEST_F(ProcSnapshotTest, SumsTheIdleTimeOfTheWantedCpus) {
  Write("proc/stat",
        "cpu  1 1 1 100 100\ncpu0 1 1 1 10 1\ncpu1 1 1 1 20 2\ncpu2 1 1 1 40 4\nintr 0\n");
  const auto tick = 1'000'000'000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(IdleTimeNs(fs_, {0, 2}), 55 * tick);
}

}  // namespace
}  // namespace prof::collect
