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

}  // namespace
}  // namespace prof::symbols
