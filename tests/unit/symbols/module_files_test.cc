// Symbols of files that the recorder holds, whatever is at their path by now, and debug files in
// the roots of containers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

#include "prof/base/mapped_file.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

namespace fs = std::filesystem;
using model::FileAddr;
using model::Module;
using model::ModuleKind;
using model::ModuleSymbols;
using model::SymbolStatus;

const char* const kRoot = PROF_TEST_DATA "/symbols/root";

Module ElfModule(const std::string& path) { return {.kind = ModuleKind::kElf, .path = path}; }

std::vector<FileAddr> Code() {
  std::vector<FileAddr> wanted;
  for (std::uint64_t a = 0x380; a < 0x600; a += 4) wanted.push_back({a});
  return wanted;
}

MappedFile Map(const std::string& path) { return MappedFile::Open(path).value(); }

std::size_t DeepestChain(const ModuleSymbols& symbols) {
  std::size_t most = 0;
  for (const auto& found : symbols.addresses) most = std::max(most, found.frames.size());
  return most;
}

TEST(ModuleFilesTest, TheHeldFileIsReadAndNotTheOneAtThePath) {
  for (const std::string name : {"dwarf5", "dwarf4gz", "clang"}) {
    const std::string path = std::string(kRoot) + "/lib/" + name + ".so";
    const MappedFile held = Map(path);
    const auto expected = Symbolizer({}).Resolve(ElfModule(path), Code());
    ASSERT_EQ(expected.status, SymbolStatus::kOk) << expected.detail;
    Module gone = ElfModule("/nowhere/" + name);
    gone.replaced = true;
    const auto symbols = Symbolizer({}).Resolve(gone, Code(), {.image = held.bytes()});
    ASSERT_EQ(symbols.status, SymbolStatus::kOk) << symbols.detail;
    ASSERT_EQ(symbols.addresses.size(), expected.addresses.size());
    for (std::size_t i = 0; i < symbols.addresses.size(); ++i)
      EXPECT_EQ(symbols.addresses[i].frames, expected.addresses[i].frames) << name << ' ' << i;
  }
}

TEST(ModuleFilesTest, AHeldFileOfAnotherBuildIsRefused) {
  const MappedFile held = Map(std::string(kRoot) + "/lib/dwarf5.so");
  Module module = ElfModule("/lib/dwarf5.so");
  const std::byte id[] = {std::byte{0xde}, std::byte{0xad}};
  module.build_id = model::BuildId(id);
  const auto symbols = Symbolizer({}).Resolve(module, Code(), {.image = held.bytes()});
  EXPECT_EQ(symbols.status, SymbolStatus::kBuildIdMismatch);
}

TEST(ModuleFilesTest, AHeldFileThatWasCutShortIsRefused) {
  const test::TempDir dir;
  fs::copy(std::string(kRoot) + "/lib/dwarf5.so", dir.File("app"));
  const MappedFile held = Map(dir.File("app"));
  fs::resize_file(dir.File("app"), 64);
  const auto symbols = Symbolizer({}).Resolve(ElfModule("/app"), Code(), {.image = held.bytes()});
  EXPECT_EQ(symbols.status, SymbolStatus::kBuildIdMismatch);
  EXPECT_EQ(symbols.detail, "/app was cut short after it had been loaded");
}

class TargetRootTest : public testing::TestWithParam<const char*> {};

TEST_P(TargetRootTest, DebugFilesComeFromTheTargetsRoot) {
  const auto root = RootDir::Open(kRoot);
  ASSERT_TRUE(root.has_value());
  const std::string path = "/lib/" + std::string(GetParam()) + ".so";
  const MappedFile held = Map(kRoot + path);
  const auto outside = Symbolizer({}).Resolve(ElfModule(path), Code(), {.image = held.bytes()});
  EXPECT_LE(DeepestChain(outside), 1U) << outside.detail;
  const auto symbols =
      Symbolizer({}).Resolve(ElfModule(path), Code(), {.image = held.bytes(), .root = &*root});
  EXPECT_GE(DeepestChain(symbols), 3U) << symbols.detail;
  EXPECT_NE(symbols.detail.find("DWARF of /"), std::string::npos) << symbols.detail;
}

INSTANTIATE_TEST_SUITE_P(Places, TargetRootTest,
                         testing::Values("beside", "dotdebug", "below", "byid"),
                         [](const auto& test) { return std::string(test.param); });

// Without build IDs only the checksum tells that the debug file belongs to the program.
TEST(ModuleFilesTest, ADebugFileWithAnotherChecksumIsNotUsed) {
  const test::TempDir dir;
  fs::create_directories(dir.File("lib"));
  fs::copy(kRoot + std::string("/lib/dotdebug.so"), dir.File("lib/dotdebug.so"));
  fs::copy(kRoot + std::string("/lib/.debug"), dir.File("lib/.debug"));
  SymbolizerOptions options;
  options.fs = HostFs(dir.path().string());
  const auto resolve = [&] {
    return Symbolizer(options).Resolve(ElfModule("/lib/dotdebug.so"), Code());
  };
  ASSERT_GE(DeepestChain(resolve()), 3U);
  for (const auto& entry : fs::directory_iterator(dir.File("lib/.debug")))
    std::ofstream(entry.path(), std::ios::app) << 'x';
  EXPECT_LE(DeepestChain(resolve()), 1U);
}

TEST(ModuleFilesTest, DwzFilesComeFromTheTargetsRoot) {
  const auto root = RootDir::Open(kRoot);
  const MappedFile held = Map(std::string(kRoot) + "/lib/dwz1.so");
  const auto common = [&](const RootDir* where) {
    std::size_t named = 0;
    const auto symbols = Symbolizer({}).Resolve(ElfModule("/lib/dwz1.so"), Code(),
                                                {.image = held.bytes(), .root = where});
    for (const auto& found : symbols.addresses) {
      for (const auto& frame : found.frames) {
        named += frame.name == "_ZNK6shapes3BoxIiE5TwiceEv" && !frame.file.empty() ? 1 : 0;
      }
    }
    return named;
  };
  EXPECT_EQ(common(nullptr), 0U);
  EXPECT_GT(common(&*root), 5U);
}

TEST(ModuleFilesTest, TheHostServesWhatTheTargetsRootLacks) {
  const test::TempDir empty;
  const auto root = RootDir::Open(empty.path().string());
  const MappedFile held = Map(std::string(kRoot) + "/lib/below.so");
  SymbolizerOptions options;
  options.fs = HostFs(kRoot);
  const auto symbols =
      Symbolizer(std::move(options))
          .Resolve(ElfModule("/lib/below.so"), Code(), {.image = held.bytes(), .root = &*root});
  EXPECT_GE(DeepestChain(symbols), 3U) << symbols.detail;
}

}  // namespace
}  // namespace prof::symbols
