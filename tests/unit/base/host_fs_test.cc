// Kernel file systems below a root.
#include "prof/base/host_fs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_dir.h"

#include "prof/base/mapped_file.h"

namespace prof {
namespace {

class HostFsTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_.File(name)) << text;
  }
  test::TempDir root_;
  HostFs fs_{root_.path().string()};
};

TEST_F(HostFsTest, ReadsFilesLinesAndNumbersBelowItsRoot) {
  Write("number", "42\n");
  EXPECT_EQ(*fs_.ReadFile("/number"), "42\n");
  EXPECT_EQ(*fs_.ReadLine("/number"), "42");
  EXPECT_EQ(*fs_.ReadNumber("/number"), 42);
  EXPECT_TRUE(fs_.Exists("/number"));
}

TEST_F(HostFsTest, ReadsTheStartOfAFile) {
  Write("text", "0123456789");
  EXPECT_EQ(*fs_.ReadStart("/text", 4), "0123");
  EXPECT_EQ(*fs_.ReadStart("/text", 100), "0123456789");
  EXPECT_EQ(fs_.ReadStart("/missing", 4).error().kind, ErrorKind::kNotFound);
}

TEST_F(HostFsTest, SaysWhatIsNotANumber) {
  Write("text", "4x");
  const auto number = fs_.ReadNumber("/text");
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().kind, ErrorKind::kBadData);
  EXPECT_FALSE(fs_.ReadNumber("/missing"));
}

TEST_F(HostFsTest, ReadsKernelFilesWhoseSizeIsZero) {
  const auto status = HostFs().ReadFile("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST_F(HostFsTest, ListsNamesInOrder) {
  Write("b", "");
  Write("a", "");
  EXPECT_EQ(*fs_.ListDir("/"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(HostFsTest, MissingFilesAreNotFound) {
  const auto missing = fs_.ReadFile("/missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
}

TEST_F(HostFsTest, MapsFilesAndRefusesFolders) {
  Write("file", "abc");
  Write("empty", "");
  EXPECT_EQ(MappedFile::Open(root_.File("file"))->bytes().size(), 3u);
  EXPECT_TRUE(MappedFile::Open(root_.File("empty"))->bytes().empty());
  const auto folder = MappedFile::Open(root_.path().string());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kBadData);
}

}  // namespace
}  // namespace prof
