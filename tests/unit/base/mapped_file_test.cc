// Mapped files that others change meanwhile.
#include "prof/base/mapped_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temp_dir.h"

namespace prof {
namespace {

TEST(MappedFileTest, TellsWhenTheFileWasCutShort) {
  const test::TempDir dir;
  const std::string path = dir.File("file");
  std::ofstream(path) << std::string(20'000, 'x');
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(IsStillWhole(file->bytes()));
  std::filesystem::resize_file(path, 100);
  EXPECT_FALSE(IsStillWhole(file->bytes()));
  EXPECT_TRUE(IsStillWhole({}));
}

TEST(MappedFileTest, WhatIsWrittenStaysInThisProcess) {
  const test::TempDir dir;
  const std::string path = dir.File("file");
  std::ofstream(path) << std::string(20'000, 'x');
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.has_value());
  const auto part = file->bytes().subspan(9'000, 4'000);
  ASSERT_TRUE(MakePrivatelyWritable(part).has_value());
  const_cast<std::byte&>(part.back()) = std::byte{'y'};
  std::ifstream stream(path);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(text.find('y'), std::string::npos);
}

}  // namespace
}  // namespace prof
