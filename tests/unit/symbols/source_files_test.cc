// Source files are found where they were, where they were moved to, and nowhere else.
#include "prof/symbols/source_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "support/temp_dir.h"

#include "prof/base/checksum.h"

namespace prof::symbols {
namespace {

class SourceFilesTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const auto path = dir_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  // With the temporary folder as root of the file system.
  SourceOptions Options() {
    SourceOptions options;
    options.fs = HostFs(dir_.path().string());
    return options;
  }
  test::TempDir dir_;
};

TEST_F(SourceFilesTest, ReadsLinesWithWhatIdentifiesThem) {
  const std::string text = "int a;\r\n\nint b;";
  Write("src/a.c", text);
  const utimbuf times{1000, 1234567};
  ASSERT_EQ(::utime(dir_.File("src/a.c").c_str(), &times), 0);
  const auto source = ReadSource(Options(), "/src/a.c");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(source->lines, (std::vector<std::string>{"int a;", "", "int b;"}));
  EXPECT_EQ(source->found_at, "/src/a.c");
  EXPECT_EQ(source->bytes, text.size());
  EXPECT_EQ(source->checksum, Crc32c(std::as_bytes(std::span(text))));
  EXPECT_EQ(source->modified_s, 1234567);
}

TEST_F(SourceFilesTest, ALineEndAtTheEndBeginsNoLine) {
  Write("a.c", "one\ntwo\n");
  EXPECT_EQ(ReadSource(Options(), "/a.c")->lines.size(), 2u);
  Write("empty.c", "");
  EXPECT_TRUE(ReadSource(Options(), "/empty.c")->lines.empty());
}

TEST_F(SourceFilesTest, FoldersAreSearchedWithEverLessOfThePath) {
  Write("build/x/lib/a.c", "recorded");
  Write("moved/lib/a.c", "moved");
  SourceOptions options = Options();
  options.folders = {"/elsewhere", "/moved"};
  const auto source = ReadSource(options, "/build/x/lib/a.c");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(source->found_at, "/moved/lib/a.c");
  Write("elsewhere/a.c", "by name");
  EXPECT_EQ(ReadSource(options, "/build/x/lib/a.c")->lines[0], "by name");
  Write("elsewhere/build/x/lib/a.c", "whole");
  EXPECT_EQ(ReadSource(options, "/build/x/lib/a.c")->lines[0], "whole");
}

TEST_F(SourceFilesTest, PrefixAndStripReplaceTheBeginning) {
  Write("build/x/a.c", "recorded");
  Write("new/x/a.c", "moved");
  SourceOptions options = Options();
  options.strip_folders = 1;
  options.prefix = "/new";
  EXPECT_EQ(ReadSource(options, "/build/x/a.c")->lines[0], "moved");
  options.strip_folders = 9;  // more than it has
  EXPECT_EQ(ReadSource(options, "/build/x/a.c")->lines[0], "recorded");
}

TEST_F(SourceFilesTest, RelativePathsAreLookedForBelowFoldersOnly) {
  Write("src/lib/a.c", "text");
  SourceOptions options = Options();
  const auto missing = ReadSource(options, "lib/a.c");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(missing.error().hint.empty());
  options.folders = {"/src"};
  EXPECT_EQ(ReadSource(options, "lib/a.c")->lines[0], "text");
}

TEST_F(SourceFilesTest, TheTargetsRootGoesFirst) {
  Write("a.c", "outside");
  Write("container/a.c", "inside");
  const auto root = RootDir::Open(dir_.File("container"));
  ASSERT_TRUE(root);
  const auto source = ReadSource(Options(), "/a.c", &*root);
  if (!source || source->lines[0] == "outside") GTEST_SKIP() << "no openat2";
  EXPECT_EQ(source->lines[0], "inside");
}

TEST_F(SourceFilesTest, WhatIsNoSourceIsRefused) {
  Write("folder/a.c", "text");
  EXPECT_EQ(ReadSource(Options(), "/folder").error().kind, ErrorKind::kBadData);
  ASSERT_EQ(::mkfifo(dir_.File("fifo.c").c_str(), 0600), 0);
  EXPECT_EQ(ReadSource(Options(), "/fifo.c").error().kind, ErrorKind::kBadData);
  std::filesystem::resize_file(dir_.path() / "folder/a.c", kMaxSourceBytes + 1);
  const auto large = ReadSource(Options(), "/folder/a.c");
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("too large"), std::string::npos);
  EXPECT_EQ(ReadSource(Options(), "").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(ReadSource(Options(), "/no/such.c").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace prof::symbols
