// Perf maps: parsing and the trust in who wrote them.
#include "symbols/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace prof::symbols {
namespace {

// Of process `pid`, by its path below `fs`.
Result<std::string> ReadPerfMap(const HostFs& fs, const std::string& path, std::uint32_t pid) {
  PROF_TRY_ASSIGN(const UniqueFd fd, OpenPerfMap(fs, nullptr, path));
  return symbols::ReadPerfMap(fd.get(), path, fs, {.pid = pid});
}

std::string NameAt(std::string_view text, std::uint64_t address) {
  const model::FileAddr wanted{address};
  return FindInPerfMap(text, std::span(&wanted, 1))[0].name;
}

TEST(PerfMapTest, KeepsSpacesInNames) {
  EXPECT_EQ(NameAt("7f00 10 LazyCompile:~f /a b.js:1\n", 0x7f0f), "LazyCompile:~f /a b.js:1");
  EXPECT_EQ(NameAt("0x7f00 0x10 f\r\n", 0x7f00), "f");
}

TEST(PerfMapTest, LaterLinesWin) {
  EXPECT_EQ(NameAt("1000 100 old\n1010 10 new\n", 0x1015), "new");
  EXPECT_EQ(NameAt("1000 100 old\n1010 10 new\n", 0x1020), "old");
}

TEST(PerfMapTest, SkipsMalformedLines) {
  const std::string_view text =
      "\nx\n1000\n1000 10\n1000 10 \nzz 10 bad\n1000 0 empty\nffffffffffffffffff 1 long\n"
      "1000 10 good\n2000 10 cut";
  EXPECT_EQ(NameAt(text, 0x1000), "good");
  EXPECT_EQ(NameAt(text, 0x2000), "cut");
}

TEST(PerfMapTest, RangesAtTheEndOfMemoryDoNotWrap) {
  EXPECT_EQ(NameAt("fffffffffffffff0 ff f\n", 0xffffffffffffffff), "f");
  EXPECT_EQ(NameAt("fffffffffffffff0 ff f\n", 0x10), "");
}

TEST(PerfMapTest, RefusesLinksAndOtherThanFiles) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir.File("tmp"));
  std::ofstream(dir.File("tmp/real")) << "1000 10 f\n";
  std::filesystem::create_symlink("real", dir.File("tmp/perf-1.map"));
  ASSERT_EQ(::mkfifo(dir.File("tmp/perf-2.map").c_str(), 0600), 0);
  const HostFs fs(dir.path().string());
  EXPECT_TRUE(ReadPerfMap(fs, "/tmp/real", 1).has_value());
  EXPECT_EQ(ReadPerfMap(fs, "/tmp/perf-1.map", 1).error().kind, ErrorKind::kPermission);
  EXPECT_EQ(ReadPerfMap(fs, "/tmp/perf-2.map", 2).error().kind, ErrorKind::kPermission);
  EXPECT_EQ(ReadPerfMap(fs, "/tmp/perf-3.map", 3).error().kind, ErrorKind::kNotFound);
}

TEST(PerfMapTest, RefusesFilesOfStrangers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  const test::TempDir dir;
  std::filesystem::create_directories(dir.File("proc/7"));
  std::ofstream(dir.File("map")) << "1000 10 f\n";
  if (::chown(dir.File("map").c_str(), 4242, 4242) != 0) GTEST_SKIP() << "chown is not possible";
  const HostFs fs(dir.path().string());
  EXPECT_EQ(ReadPerfMap(fs, "/map", 7).error().kind, ErrorKind::kPermission);
  ASSERT_EQ(::chown(dir.File("proc/7").c_str(), 4242, 4242), 0);
  EXPECT_TRUE(ReadPerfMap(fs, "/map", 7).has_value());  // its own process wrote it
}

TEST(PerfMapTest, TheUserOfAProcessThatIsGoneIsTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  const test::TempDir dir;
  std::ofstream(dir.File("map")) << "1000 10 f\n";
  if (::chown(dir.File("map").c_str(), 4242, 4242) != 0) GTEST_SKIP() << "chown is not possible";
  const HostFs fs(dir.path().string());
  const auto fd = OpenPerfMap(fs, nullptr, "/map");
  ASSERT_TRUE(fd.has_value());
  const auto read_as = [&](uid_t user) {
    return symbols::ReadPerfMap(fd->get(), "/map", fs, {.pid = 7, .user = user});
  };
  EXPECT_TRUE(read_as(4242).has_value());
  EXPECT_EQ(read_as(4343).error().message, "/map: belongs to another user (uid 4242)");
}

// In a container every run has the same small pids.
TEST(PerfMapTest, AMapThatIsOlderThanTheProcessIsAnotherOnes) {
  const test::TempDir dir;
  std::ofstream(dir.File("map")) << "1000 10 f\n";
  const HostFs fs(dir.path().string());
  const auto fd = OpenPerfMap(fs, nullptr, "/map");
  const auto read_for = [&](std::time_t started_s) {
    return symbols::ReadPerfMap(fd->get(), "/map", fs, {.pid = 7, .started_s = started_s});
  };
  EXPECT_TRUE(read_for(std::time(nullptr)).has_value());
  EXPECT_EQ(read_for(std::time(nullptr) + 60).error().kind, ErrorKind::kNotFound);
}

TEST(PerfMapTest, LinksInATargetsRootAreRefused) {
  const test::TempDir dir;
  std::ofstream(dir.File("real")) << "1000 10 f\n";
  std::filesystem::create_symlink("real", dir.File("map"));
  const auto root = RootDir::Open(dir.path().string());
  EXPECT_TRUE(OpenPerfMap({}, &*root, "/real").has_value());
  EXPECT_FALSE(OpenPerfMap({}, &*root, "/map").has_value());
}

}  // namespace
}  // namespace prof::symbols
