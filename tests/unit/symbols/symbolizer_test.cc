// The symbolizer finds the right names and lines, and refuses to guess.
#include "prof/symbols/symbolizer.h"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "support/temp_dir.h"

namespace prof::symbols {
namespace {

using model::FileAddr;
using model::Module;
using model::ModuleKind;
using model::ModuleSymbols;
using model::SymbolStatus;

const char* const kData = PROF_TEST_DATA "/symbols";

SymbolizerOptions RootOptions(const std::string& root = "root") {
  SymbolizerOptions options;
  options.fs = HostFs(std::string(kData) + "/" + root);
  return options;
}

Module ElfModule(const std::string& path) {
  Module module;
  module.kind = ModuleKind::kElf;
  module.path = path;
  return module;
}

Module ModuleOf(ModuleKind kind, const std::string& path) {
  Module module = ElfModule(path);
  module.kind = kind;
  return module;
}

ModuleSymbols ResolveOne(const Module& module, std::uint64_t address,
                         SymbolizerOptions options = RootOptions()) {
  const FileAddr wanted{address};
  return Symbolizer(std::move(options)).Resolve(module, std::span(&wanted, 1));
}

std::string NameAt(const ModuleSymbols& symbols) {
  if (symbols.addresses.empty() || symbols.addresses[0].frames.empty()) return {};
  return symbols.addresses[0].frames.back().name;
}

struct ExpectedFrame {
  std::string name;
  std::string position;
};

// llvm-symbolizer's GNU style: the address, then name and file:line for each frame.
std::map<std::uint64_t, std::vector<ExpectedFrame>> ReadExpected(const std::string& name) {
  std::map<std::uint64_t, std::vector<ExpectedFrame>> expected;
  std::ifstream file(std::string(kData) + "/expected/" + name + ".txt");
  std::uint64_t address = 0;
  for (std::string line, position; std::getline(file, line);) {
    if (line.starts_with("0x")) {
      address = std::stoull(line, nullptr, 16);
    } else if (std::getline(file, position)) {
      expected[address].push_back({line, position});
    }
  }
  return expected;
}

// The peer prints functions of anonymous namespaces without their scope.
bool SameName(const std::string& ours, const std::string& peer) {
  return peer == "??" || ours == peer || ours.ends_with("::" + peer);
}

class InlineChainTest : public testing::TestWithParam<std::string> {};

TEST_P(InlineChainTest, AgreesWithLlvmSymbolizerEverywhere) {
  const auto expected = ReadExpected(GetParam());
  ASSERT_GT(expected.size(), 50u);
  std::vector<FileAddr> wanted;
  for (const auto& [address, frames] : expected) wanted.push_back({address});
  const ModuleSymbols symbols =
      Symbolizer(RootOptions()).Resolve(ElfModule("/lib/" + GetParam() + ".so"), wanted);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk) << symbols.detail;
  ASSERT_EQ(symbols.addresses.size(), wanted.size());
  std::size_t inlined = 0;
  for (const auto& found : symbols.addresses) {
    const auto& peer = expected.at(found.address.value);
    if (peer[0].position == "??:0") continue;
    ASSERT_EQ(found.frames.size(), peer.size()) << std::hex << found.address.value;
    for (std::size_t i = 0; i < peer.size(); ++i) {
      const auto& frame = found.frames[i];
      EXPECT_PRED2(SameName, frame.name, peer[i].name);
      EXPECT_EQ(frame.file + ":" + std::to_string(frame.line), peer[i].position);
      EXPECT_EQ(frame.inlined, i + 1 != peer.size());
      inlined += frame.inlined ? 1 : 0;
    }
  }
  EXPECT_GT(inlined, 20u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, InlineChainTest, testing::Values("dwarf5", "dwarf4gz", "clang"),
                         [](const auto& test) { return test.param; });

TEST(SymbolizerTest, QualifiesInlinedFunctionsOfAnonymousNamespaces) {
  std::vector<FileAddr> wanted;
  for (const auto& [address, frames] : ReadExpected("dwarf5")) wanted.push_back({address});
  const auto symbols = Symbolizer(RootOptions()).Resolve(ElfModule("/lib/dwarf5.so"), wanted);
  std::vector<std::string> names;
  for (const auto& found : symbols.addresses) {
    for (const auto& frame : found.frames) names.push_back(frame.name);
  }
  EXPECT_NE(std::ranges::find(names, "shapes::(anonymous namespace)::Counter::Add"), names.end());
  EXPECT_NE(std::ranges::find(names, "entry::{lambda}::operator()"), names.end());
}

TEST(SymbolizerTest, WithoutInlinesThereIsOneFrame) {
  SymbolizerOptions options = RootOptions();
  options.inlines = false;
  const auto symbols = ResolveOne(ElfModule("/lib/dwarf5.so"), 0x428, options);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk);
  ASSERT_EQ(symbols.addresses[0].frames.size(), 1u);
  EXPECT_EQ(NameAt(symbols), "_ZNK6shapes3BoxIiE3SumEi");
  EXPECT_EQ(symbols.addresses[0].function_start.value, 0x410u);
  EXPECT_TRUE(symbols.addresses[0].frames[0].file.empty());
}

TEST(SymbolizerTest, FindsDebugFilesInEveryPlace) {
  for (const std::string name : {"beside", "dotdebug", "below", "byid"}) {
    std::vector<FileAddr> wanted;
    for (std::uint64_t a = 0x380; a < 0x600; a += 4) wanted.push_back({a});
    const auto symbols =
        Symbolizer(RootOptions()).Resolve(ElfModule("/lib/" + name + ".so"), wanted);
    ASSERT_EQ(symbols.status, SymbolStatus::kOk) << name;
    EXPECT_NE(symbols.detail.find("DWARF of"), std::string::npos) << name << symbols.detail;
    bool inlined = false;
    for (const auto& found : symbols.addresses) inlined = inlined || found.frames.size() >= 3;
    EXPECT_TRUE(inlined) << name;
  }
}

TEST(SymbolizerTest, IgnoresADebugFileOfAnotherBuild) {
  const auto symbols = ResolveOne(ElfModule("/lib/wrong.so"), 0x428);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk);
  EXPECT_EQ(symbols.detail, ".dynsym");
  EXPECT_TRUE(symbols.addresses[0].frames[0].file.empty());
}

TEST(SymbolizerTest, FollowsDwzFiles) {
  std::vector<FileAddr> wanted;
  for (std::uint64_t a = 0x380; a < 0x500; a += 4) wanted.push_back({a});
  const auto symbols = Symbolizer(RootOptions()).Resolve(ElfModule("/lib/dwz1.so"), wanted);
  std::size_t named = 0;
  for (const auto& found : symbols.addresses) {
    for (const auto& frame : found.frames) {
      named += frame.name == "_ZNK6shapes3BoxIiE5TwiceEv" && !frame.file.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(named, 5u);
}

TEST(SymbolizerTest, ReadsMiniDebugInfo) {
  const auto symbols = ResolveOne(ElfModule("/lib/mini.so"), 0x3b4);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk);
  EXPECT_EQ(NameAt(symbols), "_ZN12_GLOBAL__N_15LocalEi");
}

TEST(SymbolizerTest, RefusesAFileWithAnotherBuildId) {
  Module module = ElfModule("/lib/dwarf5.so");
  const std::byte id[] = {std::byte{0xde}, std::byte{0xad}};
  module.build_id = model::BuildId(id);
  const auto symbols = ResolveOne(module, 0x428);
  EXPECT_EQ(symbols.status, SymbolStatus::kBuildIdMismatch);
  EXPECT_TRUE(symbols.addresses.empty());
  EXPECT_TRUE(symbols.detail.starts_with("/lib/dwarf5.so on disk has build ID ")) << symbols.detail;
  EXPECT_TRUE(symbols.detail.ends_with(", the profile dead")) << symbols.detail;
}

TEST(SymbolizerTest, RefusesAReplacedFileWithoutProof) {
  Module module = ElfModule("/lib/dwarf5.so");
  module.replaced = true;
  EXPECT_EQ(ResolveOne(module, 0x428).status, SymbolStatus::kBuildIdMismatch);
}

TEST(SymbolizerTest, SaysWhyThereAreNoSymbols) {
  EXPECT_EQ(ResolveOne(ElfModule("/lib/none.so"), 1).status, SymbolStatus::kFileMissing);
  EXPECT_EQ(ResolveOne(ElfModule("/lib"), 1).status, SymbolStatus::kUnreadable);
  EXPECT_EQ(ResolveOne(ElfModule("/usr/lib/debug/../../../../inlines.cc"), 1).status,
            SymbolStatus::kUnreadable);
  EXPECT_EQ(ResolveOne(ElfModule("/lib/dwarf5.so"), 0x100000).status, SymbolStatus::kNoSymbols);
  EXPECT_EQ(ResolveOne(ModuleOf(ModuleKind::kUnknown, "[unknown]"), 1).status,
            SymbolStatus::kNoSymbols);
}

TEST(SymbolizerTest, ResolvesItsOwnProgram) {
  std::uint64_t base = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = program->dlpi_addr;
        return 1;  // the program itself comes first
      },
      &base);
  SymbolizerOptions options;
  const auto address = reinterpret_cast<std::uint64_t>(&SameName) - base;
  const auto symbols = ResolveOne(ElfModule("/proc/self/exe"), address, options);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk) << symbols.detail;
  EXPECT_NE(NameAt(symbols).find("SameName"), std::string::npos);
  EXPECT_TRUE(symbols.addresses[0].frames.back().file.ends_with("symbolizer_test.cc"));
}

TEST(SymbolizerTest, ResolvesTheKernelAndItsModules) {
  const auto kernel = [](ModuleKind kind, const std::string& path, std::uint64_t address) {
    return ResolveOne(ModuleOf(kind, path), address, RootOptions("kernel"));
  };
  EXPECT_EQ(NameAt(kernel(ModuleKind::kKernel, "[kernel.kallsyms]", 0xffffffff81000020)),
            "startup_64");
  EXPECT_EQ(NameAt(kernel(ModuleKind::kKernel, "[kernel.kallsyms]", 0xffffffff81000100)),
            "global_name");
  const auto open = kernel(ModuleKind::kKernelModule, "[xfs]", 0xffffffffc0000010);
  EXPECT_EQ(NameAt(open), "xfs_open");
  EXPECT_EQ(open.addresses[0].function_size, 0x80u);
  EXPECT_EQ(kernel(ModuleKind::kKernelModule, "[kvm]", 0xffffffffc0000010).status,
            SymbolStatus::kNoSymbols);
}

TEST(SymbolizerTest, SaysWhenKernelAddressesAreHidden) {
  const auto symbols = ResolveOne(ModuleOf(ModuleKind::kKernel, "[kernel.kallsyms]"),
                                  0xffffffff81000020, RootOptions("hidden"));
  EXPECT_EQ(symbols.status, SymbolStatus::kNotPermitted);
  EXPECT_NE(symbols.detail.find("kptr_restrict"), std::string::npos);
}

TEST(SymbolizerTest, DoesNotUseTheRunningKernelForAnotherBoot) {
  SymbolizerOptions options = RootOptions("kernel");
  options.running_kernel = false;
  const Module module = ModuleOf(ModuleKind::kKernel, "[kernel.kallsyms]");
  EXPECT_EQ(ResolveOne(module, 0xffffffff81000020, options).status, SymbolStatus::kFileMissing);
  options.kallsyms = std::string(kData) + "/kernel/proc/kallsyms";
  EXPECT_EQ(NameAt(ResolveOne(module, 0xffffffff81000020, options)), "startup_64");
}

TEST(SymbolizerTest, ResolvesTheVdso) {
  if (::getauxval(AT_SYSINFO_EHDR) == 0) GTEST_SKIP() << "this kernel maps no vdso";
  std::vector<FileAddr> wanted;
  for (std::uint64_t a = 0; a < 0x2000; a += 16) wanted.push_back({a});
  const auto symbols =
      Symbolizer(SymbolizerOptions()).Resolve(ModuleOf(ModuleKind::kVdso, "[vdso]"), wanted);
  ASSERT_EQ(symbols.status, SymbolStatus::kOk) << symbols.detail;
  std::vector<std::string> names;
  for (const auto& found : symbols.addresses) {
    if (!found.frames.empty()) names.push_back(found.frames[0].name);
  }
  EXPECT_NE(std::ranges::find(names, "__vdso_clock_gettime"), names.end());
}

TEST(SymbolizerTest, ReadsPerfMaps) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir.File("tmp"));
  std::ofstream(dir.File("tmp/perf-42.map")) << "1000 10 first\n1010 20 py::fib:/x.py\n";
  SymbolizerOptions options;
  options.fs = HostFs(dir.path().string());
  Module module = ModuleOf(ModuleKind::kJit, "/tmp/perf-42.map");
  module.pid = 42;
  EXPECT_EQ(NameAt(ResolveOne(module, 0x1018, options)), "py::fib:/x.py");
  EXPECT_EQ(ResolveOne(module, 0x2000, options).status, SymbolStatus::kNoSymbols);
}

}  // namespace
}  // namespace prof::symbols
