// Which file a mapping is of: the kernel gives a path, a build ID or an inode, and a pid.
#include "collect/module_table.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/temp_dir.h"

namespace prof::collect {
namespace {

namespace fs = std::filesystem;

const char* const kLib = PROF_TEST_DATA "/symbols/root/lib/";

// A /proc of fixtures. Process 7 runs in a container, process 8 in prof's own root.
class ModuleTableTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* process : {"self", "7", "8"}) {
      fs::create_directories(dir_.File("proc/" + std::string(process) + "/ns"));
      fs::create_symlink(process == std::string("7") ? "mnt:[2]" : "mnt:[1]",
                         dir_.File("proc/" + std::string(process) + "/ns/mnt"));
    }
    fs::create_directories(dir_.File("proc/7/root"));
    fs::create_symlink(dir_.path(), dir_.File("proc/8/root"));
    fs::create_symlink(dir_.path(), dir_.File("proc/self/root"));
  }

  void Put(const std::string& path, const std::string& library) {
    fs::create_directories(fs::path(dir_.File(path)).parent_path());
    fs::copy(kLib + library, dir_.File(path), fs::copy_options::overwrite_existing);
  }
  [[nodiscard]] MappedFileId ByInode(std::string_view path, std::uint32_t pid,
                                     const std::string& file) const {
    struct stat status {};
    EXPECT_EQ(::stat(dir_.File(file).c_str(), &status), 0) << file;
    return {.path = path,
            .pid = pid,
            .start = {0x1000},
            .end = {0x2000},
            .build_id = {},
            .has_inode = true,
            .device = status.st_dev,
            .inode = status.st_ino};
  }
  static HitModule Hit(ModuleTable& table, model::LoadedModule module) {
    table.AddHit(module, {0x400});
    for (HitModule& hit : table.Hits()) {
      if (hit.module == table.module(module)) return std::move(hit);
    }
    ADD_FAILURE() << "no hit";
    return {};
  }

  test::TempDir dir_;
  HostFs fs_{dir_.path().string()};
};

TEST_F(ModuleTableTest, AFileOfAContainerIsFoundThroughItsRootAndHeld) {
  Put("proc/7/root/app", "dwarf5.so");
  Put("app", "clang.so");
  ModuleTable table(fs_);
  const auto module = table.Load(ByInode("/app", 7, "proc/7/root/app"));
  const HitModule hit = Hit(table, module);
  EXPECT_EQ(hit.file.size(), fs::file_size(std::string(kLib) + "dwarf5.so"));
  ASSERT_NE(hit.root, nullptr);
  EXPECT_TRUE(hit.root->OpenFile("/app").has_value());
}

TEST_F(ModuleTableTest, AFileOfProfsOwnRootHasNoOther) {
  Put("app", "dwarf5.so");
  ModuleTable table(fs_);
  const HitModule hit = Hit(table, table.Load(ByInode("/app", 8, "app")));
  EXPECT_FALSE(hit.file.empty());
  EXPECT_EQ(hit.root, nullptr);
}

TEST_F(ModuleTableTest, AnotherProcessOfTheContainerLeadsToItsRoot) {
  Put("proc/7/root/app", "dwarf5.so");
  Put("proc/7/root/short", "clang.so");
  ModuleTable table(fs_);
  table.Load(ByInode("/app", 7, "proc/7/root/app"));
  const HitModule hit = Hit(table, table.Load(ByInode("/short", 99, "proc/7/root/short")));
  EXPECT_FALSE(hit.file.empty());
  EXPECT_NE(hit.root, nullptr);
}

TEST_F(ModuleTableTest, AFileThatIsAnotherOneByNowIsNotHeld) {
  Put("app", "dwarf5.so");
  MappedFileId mapped = ByInode("/app", 8, "app");
  ++mapped.inode;
  ModuleTable table(fs_);
  const HitModule hit = Hit(table, table.Load(mapped));
  EXPECT_TRUE(hit.file.empty());
  EXPECT_TRUE(hit.module.replaced);
}

TEST_F(ModuleTableTest, FilesWithoutBuildIdAtOnePathStayApart) {
  Put("app", "dotdebug.so");
  Put("proc/7/root/app", "dotdebug.so");
  ModuleTable table(fs_);
  const auto outside = table.Load(ByInode("/app", 8, "app"));
  const auto inside = table.Load(ByInode("/app", 7, "proc/7/root/app"));
  ASSERT_TRUE(table.module(outside).build_id.empty());
  EXPECT_NE(outside, inside);
  EXPECT_FALSE(table.module(outside).replaced);
  EXPECT_TRUE(table.module(inside).replaced);  // prof's own path leads to another file
}

TEST_F(ModuleTableTest, TwoBuildsWithoutBuildIdAtOnePathStayApart) {
  Put("proc/7/root/app", "dotdebug.so");
  ModuleTable table(fs_);
  const auto first = table.Load(ByInode("/app", 7, "proc/7/root/app"));
  fs::rename(dir_.File("proc/7/root/app"), dir_.File("proc/7/root/old"));
  Put("proc/7/root/app", "dotdebug.so");
  const auto second = table.Load(ByInode("/app", 7, "proc/7/root/app"));
  EXPECT_NE(first, second);
  EXPECT_NE(table.module(first), table.module(second));
}

TEST_F(ModuleTableTest, ManyFilesTakeNoDescriptors) {
  Put("app", "dwarf5.so");
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  ModuleTable table(fs_);
  const auto before = descriptors();
  for (int i = 0; i < 50; ++i) {
    const std::string name = "lib" + std::to_string(i);
    Put("proc/7/root/" + name, "dwarf5.so");
    table.Load(ByInode("/" + name, 7, "proc/7/root/" + name));
  }
  EXPECT_EQ(descriptors(), before + 1);  // of the root
}

// What a table holds of process `pid` once its JIT code is hit.
std::vector<int> HeldDumps(ModuleTable& table, std::uint32_t pid) {
  table.AddHit(table.Load({.path = "//anon", .pid = pid, .start = {}, .end = {}, .build_id = {}}),
               {0x7f00});
  for (HitModule& hit : table.Hits()) {
    if (hit.module.kind == model::ModuleKind::kJit && hit.module.pid == pid) return hit.jit_dumps;
  }
  ADD_FAILURE() << "no hit";
  return {};
}

TEST_F(ModuleTableTest, AJitDumpThatIsMappedIsHeldAndIsNoModuleOfItsOwn) {
  Put("home/.debug/jit/jit-8.dump", "dwarf5.so");
  Put("proc/7/root/tmp/jit-1.dump", "dwarf5.so");
  ModuleTable table(fs_);
  const std::size_t before = table.size();
  const auto marker = ByInode("/home/.debug/jit/jit-8.dump", 8, "home/.debug/jit/jit-8.dump");
  const auto module = table.Load(marker);
  EXPECT_EQ(table.Load(marker), module);  // held once
  EXPECT_EQ(table.module(module).path, "/tmp/perf-8.map");
  EXPECT_EQ(table.size(), before + 1);
  table.Load(ByInode("/tmp/jit-1.dump", 7, "proc/7/root/tmp/jit-1.dump"));
  EXPECT_TRUE(table.Hits().empty());
  fs::remove_all(dir_.File("home"));
  fs::remove_all(dir_.File("proc/7"));
  for (const std::uint32_t pid : {7U, 8U}) {
    const auto held = HeldDumps(table, pid);
    ASSERT_EQ(held.size(), 1u) << pid;
    char magic[4];
    EXPECT_EQ(::pread(held[0], magic, sizeof magic, 0), 4);
    EXPECT_EQ(std::string(magic, sizeof magic),
              "\x7f"
              "ELF");
  }
}

TEST_F(ModuleTableTest, AJitDumpThatIsAnotherFileByNowIsNotHeld) {
  Put("tmp/jit-8.dump", "dwarf5.so");
  ModuleTable table(fs_);
  MappedFileId marker = ByInode("/tmp/jit-8.dump", 8, "tmp/jit-8.dump");
  ++marker.inode;
  table.Load(marker);
  marker.has_inode = false;
  table.Load(marker);
  EXPECT_TRUE(HeldDumps(table, 8).empty());
}

TEST_F(ModuleTableTest, AJitDumpWithoutANameIsFoundWhileItIsMapped) {
  Put("proc/8/map_files/1000-2000", "dwarf5.so");
  ModuleTable table(fs_);
  table.Load(ByInode("/tmp/jit-8.dump (deleted)", 8, "proc/8/map_files/1000-2000"));
  EXPECT_EQ(HeldDumps(table, 8).size(), 1u);
}

TEST_F(ModuleTableTest, NoProcessMakesUsHoldManyFiles) {
  ModuleTable table(fs_);
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/tmp/jit-" + std::to_string(i) + ".dump";
    Put(path.substr(1), "dwarf5.so");
    table.Load({ByInode(path, 8, path.substr(1))});
  }
  EXPECT_EQ(HeldDumps(table, 8).size(), kMaxJitDumps);
}

TEST(JitDumpName, IsAPidBetweenJitAndDump) {
  for (const char* path : {"/tmp/jit-1.dump", "/root/.debug/jit/x/jit-123456.dump"})
    EXPECT_TRUE(IsJitDump(path)) << path;
  for (const char* path : {"jit-1.dump", "/tmp/jit-.dump", "/tmp/jit-1x.dump", "/tmp/jit-1.dump2",
                           "/tmp/xjit-1.dump", "/tmp/jit-1.dump/lib.so", "/lib/libjit-1.so"})
    EXPECT_FALSE(IsJitDump(path)) << path;
}

}  // namespace
}  // namespace prof::collect
