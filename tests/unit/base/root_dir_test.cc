// A target's root: nothing in it leads out of it.
#include "prof/base/root_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace prof {
namespace {

class RootDirTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_.File("root/lib"));
    std::ofstream(dir_.File("secret")) << "outside";
    std::ofstream(dir_.File("root/secret")) << "inside";
  }

  [[nodiscard]] std::string Read(const std::string& path, int flags = 0) const {
    const auto root = RootDir::Open(dir_.File("root"));
    const auto fd = root->OpenFile(path, flags);
    if (!fd) return fd.error().message;
    char text[64];
    const ssize_t size = ::read(fd->get(), text, sizeof(text));
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  test::TempDir dir_;
};

TEST_F(RootDirTest, AbsolutePathsLinksAndDotsStayInside) {
  std::filesystem::create_symlink("/secret", dir_.File("root/absolute"));
  std::filesystem::create_symlink("../../secret", dir_.File("root/lib/up"));
  EXPECT_EQ(Read("/secret"), "inside");
  EXPECT_EQ(Read("/../../secret"), "inside");
  EXPECT_EQ(Read("/absolute"), "inside");
  EXPECT_EQ(Read("/lib/up"), "inside");
  EXPECT_EQ(Read(dir_.File("secret")), dir_.File("secret") + ": No such file or directory");
}

TEST_F(RootDirTest, RefusesALinkWhereNoneIsWanted) {
  std::filesystem::create_symlink("/secret", dir_.File("root/link"));
  EXPECT_EQ(Read("/link", O_NOFOLLOW), "/link: Too many levels of symbolic links");
}

TEST_F(RootDirTest, StaysOpenWhenTheDirectoryIsMoved) {
  const auto root = RootDir::Open(dir_.File("root"));
  std::filesystem::rename(dir_.File("root"), dir_.File("elsewhere"));
  EXPECT_TRUE(root->OpenFile("/secret").has_value());
}

TEST_F(RootDirTest, NeedsADirectory) {
  EXPECT_FALSE(RootDir::Open(dir_.File("secret")).has_value());
}

}  // namespace
}  // namespace prof
