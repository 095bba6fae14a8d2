// Parsing and caching of kernel symbols.
#include "symbols/kallsyms.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_dir.h"

namespace prof::symbols {
namespace {

constexpr std::uint64_t kSchedule = 0xffffffff81000300;

// A copy of the fixture's /proc, to change it.
class KallsymsCacheTest : public testing::Test {
 protected:
  KallsymsCacheTest() {
    std::filesystem::copy(PROF_TEST_DATA "/symbols/kernel", dir_.path(),
                          std::filesystem::copy_options::recursive);
  }
  Result<Kallsyms> Load(bool fresh = false) {
    return Kallsyms::Load({HostFs(dir_.path().string()), "", dir_.File("deep/cache")}, fresh);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_.File(name)) << text;
  }
  // What kallsyms says now, to tell it from what is cached.
  void RenameSchedule() { Write("proc/kallsyms", "ffffffff81000300 T renamed\n"); }
  std::string NameOfSchedule(bool fresh = false) {
    const auto symbols = Load(fresh);
    return symbols ? std::string(symbols->Find(kSchedule, "").name) : symbols.error().message;
  }

  test::TempDir dir_;
};

TEST_F(KallsymsCacheTest, IsUsedWithinOneBoot) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  EXPECT_EQ(NameOfSchedule(), "schedule");
  const auto symbols = Load();
  ASSERT_TRUE(symbols.has_value());
  EXPECT_EQ(symbols->Find(0xffffffffc0000010, "[xfs]").name, "xfs_open");
}

TEST_F(KallsymsCacheTest, IsPassedOverWhenAskedTo) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  EXPECT_EQ(NameOfSchedule(true), "renamed");
}

TEST_F(KallsymsCacheTest, EndsWithTheBoot) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  Write("proc/sys/kernel/random/boot_id", "another\n");
  EXPECT_EQ(NameOfSchedule(), "renamed");
}

TEST_F(KallsymsCacheTest, EndsWhenAModuleIsLoaded) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  Write("proc/modules", "xfs 2000000 7 - Live 0x0\nkvm 1400000 2 - Live 0x0\n");
  EXPECT_EQ(NameOfSchedule(), "schedule");  // only reference counts differ
  Write("proc/modules", "xfs 2000000 7 - Live 0x0\nnew 1 0 - Live 0x0\n");
  EXPECT_EQ(NameOfSchedule(), "renamed");
}

TEST_F(KallsymsCacheTest, IsIgnoredWhenOthersCouldWriteIt) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  ASSERT_EQ(::chmod(dir_.File("deep/cache/kallsyms").c_str(), 0666), 0);
  EXPECT_EQ(NameOfSchedule(), "renamed");
}

TEST_F(KallsymsCacheTest, IsIgnoredWhenCutShort) {
  EXPECT_EQ(NameOfSchedule(), "schedule");
  RenameSchedule();
  const auto size = std::filesystem::file_size(dir_.File("deep/cache/kallsyms"));
  for (std::uintmax_t cut = size - 1; cut > 0; cut = cut * 3 / 4) {
    std::filesystem::resize_file(dir_.File("deep/cache/kallsyms"), cut);
    const std::string name = NameOfSchedule();
    EXPECT_TRUE(name == "schedule" || name == "renamed") << name;
  }
  EXPECT_EQ(NameOfSchedule(), "renamed");
}

TEST(KallsymsTest, SkipsBrokenLinesAndData) {
  const auto symbols = Kallsyms::Parse(
      "ffffffff81000000 T a\n\nnonsense\nffffffff81000010 T\nffffffff8100zz00 T x\n"
      "ffffffff81000020 D data\nffffffff81000030 t b");
  ASSERT_TRUE(symbols.has_value());
  EXPECT_EQ(symbols->size(), 2u);
  EXPECT_EQ(symbols->Find(0xffffffff81000025, "").name, "a");
  EXPECT_EQ(symbols->Find(0xffffffff81000030, "").name, "b");
}

TEST(KallsymsTest, EmptyTextIsAnError) {
  EXPECT_FALSE(Kallsyms::Parse("").has_value());
  EXPECT_EQ(Kallsyms::Parse("0000000000000000 T a\n").error().kind, ErrorKind::kPermission);
}

TEST(KallsymsTest, TheLastSymbolEndsWithItsPage) {
  const auto symbols = Kallsyms::Parse("ffffffff81000ff0 T last\n");
  ASSERT_TRUE(symbols.has_value());
  EXPECT_EQ(symbols->Find(0xffffffff81000fff, "").name, "last");
  EXPECT_EQ(symbols->Find(0xffffffff81001000, "").name, "");
}

}  // namespace
}  // namespace prof::symbols
