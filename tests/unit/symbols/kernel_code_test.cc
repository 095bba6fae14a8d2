// Code of the kernel from a made-up /proc/kcore and from a vmlinux that is built here.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/code_chain.h"
#include "support/run_process.h"
#include "support/temp_dir.h"
#include "symbols/elf_file.h"

#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

using model::FunctionCode;
using model::ModuleCode;

constexpr std::uint64_t kShift = 0x1c00000;
constexpr const char* kRelease = "6.1.0-test";
constexpr const char* kSource = R"(int table[8] = {1, 2, 3};
__attribute__((noinline)) int vfs_read(int x) { return x * 3 + table[x & 7]; }
static inline __attribute__((always_inline)) int twice(int x) {
  return vfs_read(x) + x;
}
int schedule(int x) {
  return twice(x) + 1;
}
void _start(void) { schedule(1); }
)";

// The root of a machine that runs a kernel of five functions, moved by kShift.
class KernelCodeTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"proc/sys/kernel", "boot", "sys/kernel"}) {
      std::filesystem::create_directories(dir_.path() / folder);
    }
    Write("proc/sys/kernel/osrelease", std::string(kRelease) + "\n");
    Write("kernel.c", kSource);
    const auto built = test::RunProgram(
        {"sh", "-c",
         "command -v gcc || exit 77; gcc -g -O2 -fno-pic -no-pie -nostdlib -static "
         "-fcf-protection=none "
         "-fno-stack-protector -fno-asynchronous-unwind-tables -Wl,--build-id=sha1 "
         "-Wl,-Ttext=0x41000000 kernel.c -o boot/vmlinux-6.1.0-test && "
         "objcopy -O binary --only-section=.text boot/vmlinux-6.1.0-test text && "
         "objcopy -O binary --only-section=.note.gnu.build-id boot/vmlinux-6.1.0-test "
         "sys/kernel/notes && nm -n boot/vmlinux-6.1.0-test > nm"},
        {.folder = dir_.path().string()});
    if (built.status == 77) GTEST_SKIP() << "no gcc";
    ASSERT_EQ(built.status, 0) << built.err;
    std::ifstream symbols(dir_.File("nm"));
    std::ostringstream kallsyms;
    for (std::string address, type, name; symbols >> address >> type >> name;) {
      if (type != "T" && type != "t") continue;
      kallsyms << std::hex << std::stoull(address, nullptr, 16) + kShift << " " << type << " "
               << name << "\n";
      starts_.push_back({std::stoull(address, nullptr, 16) + kShift, name});
    }
    kallsyms << std::hex << starts_.back().first + 0x40 << " T _etext\n";
    starts_.push_back({starts_.back().first + 0x40, "_etext"});
    Write("proc/kallsyms", kallsyms.str());
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_.File(name), std::ios::binary) << text;
  }
  std::string ReadFile(const std::string& name) {
    std::ifstream file(dir_.File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The memory has one byte that the file has not, as patched code.
  void WriteKcore() {
    std::string text = ReadFile("text");
    text[At("vfs_read") - kShift - 0x41000000] = '\x90';
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_CORE;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    Elf64_Phdr segments[2]{};
    segments[0].p_type = PT_NOTE;
    segments[1].p_type = PT_LOAD;
    segments[1].p_offset = 0x1000;
    segments[1].p_vaddr = 0x41000000 + kShift;
    segments[1].p_filesz = segments[1].p_memsz = text.size();
    std::string file(0x1000, '\0');
    std::memcpy(file.data(), &header, sizeof(header));
    std::memcpy(file.data() + sizeof(header), segments, sizeof(segments));
    Write("proc/kcore", file + text);
  }

  std::uint64_t At(const std::string& name) {
    const auto found =
        std::ranges::find(starts_, name, &std::pair<std::uint64_t, std::string>::second);
    return found == starts_.end() ? 0 : found->first;
  }

  std::vector<FunctionRange> Functions() {
    std::vector<FunctionRange> functions;
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      functions.push_back(
          {{starts_[i].first}, starts_[i + 1].first - starts_[i].first, starts_[i].second});
    }
    return functions;
  }

  ModuleCode Read(const SymbolizerOptions& options,
                  model::ModuleKind kind = model::ModuleKind::kKernel) {
    model::Module module;
    module.kind = kind;
    module.path = kind == model::ModuleKind::kKernel ? "[kernel.kallsyms]" : "[xfs]";
    return Symbolizer(options).ReadCode(module, Functions());
  }

  SymbolizerOptions Options() {
    SymbolizerOptions options;
    options.fs = HostFs(dir_.path().string());
    return options;
  }

  static const FunctionCode& Find(const ModuleCode& code, const std::string& name) {
    static const FunctionCode none;
    const auto found = std::ranges::find(code.functions, name, &FunctionCode::name);
    EXPECT_NE(found, code.functions.end()) << name;
    return found == code.functions.end() ? none : *found;
  }

  test::TempDir dir_;
  std::vector<std::pair<std::uint64_t, std::string>> starts_;  // by name, as the kernel ran
};

TEST_F(KernelCodeTest, MemoryGoesBeforeTheFile) {
  WriteKcore();
  const ModuleCode code = Read(Options());
  const FunctionCode& function = Find(code, "vfs_read");
  ASSERT_FALSE(function.code.empty()) << code.detail;
  EXPECT_EQ(function.code[0], std::byte{0x90});
  EXPECT_NE(code.detail.find("code of /proc/kcore"), std::string::npos) << code.detail;
  EXPECT_EQ(code.machine.number, EM_X86_64);
}

TEST_F(KernelCodeTest, LinesAndInlinedCallsAreThoseOfTheFileMoved) {
  WriteKcore();
  const ModuleCode code = Read(Options());
  const FunctionCode& function = Find(code, "schedule");
  ASSERT_FALSE(function.lines.empty()) << code.detail;
  EXPECT_EQ(function.lines[0].address, function.start);
  ASSERT_EQ(function.inlined.size(), 1u);
  EXPECT_EQ(function.inlined[0].name, "twice");
  EXPECT_EQ(function.inlined[0].call_line, 7u);
  const std::string source = dir_.File("kernel.c");
  EXPECT_EQ(test::ChainAt(function, function.inlined[0].begin),
            "twice " + source + ":4\nschedule " + source + ":7\n");
}

TEST_F(KernelCodeTest, WithoutMemoryTheFileHasTheCode) {
  const ModuleCode code = Read(Options());
  const FunctionCode& function = Find(code, "schedule");
  ASSERT_FALSE(function.code.empty()) << code.detail;
  const std::string bytes(reinterpret_cast<const char*>(function.code.data()),
                          function.code.size());
  EXPECT_EQ(ReadFile("text").substr(At("schedule") - kShift - 0x41000000, bytes.size()), bytes);
  EXPECT_NE(code.detail.find("as it was built"), std::string::npos) << code.detail;
  EXPECT_NE(code.detail.find("/proc/kcore: No such file"), std::string::npos) << code.detail;
}

#ifdef __x86_64__
TEST_F(KernelCodeTest, CallsAndDataHaveNames) {
  WriteKcore();
  const ModuleCode code = Read(Options());
  const FunctionCode& function = Find(code, "schedule");
  ASSERT_EQ(function.references.size(), 1u) << code.detail;
  EXPECT_EQ(function.references[0].name, "vfs_read");
  EXPECT_EQ(function.references[0].address.value, At("vfs_read"));
}
#endif

TEST_F(KernelCodeTest, AFileOfAnotherKernelIsRefused) {
  std::string notes = ReadFile("sys/kernel/notes");
  notes.back() = static_cast<char>(notes.back() + 1);
  Write("sys/kernel/notes", notes);
  const ModuleCode code = Read(Options());
  EXPECT_TRUE(Find(code, "schedule").code.empty());
  EXPECT_NE(code.detail.find("build ID"), std::string::npos) << code.detail;
}

TEST_F(KernelCodeTest, WithoutKallsymsTheFunctionsTellWhereTheKernelWas) {
  std::filesystem::remove(dir_.path() / "proc/kallsyms");
  const ModuleCode code = Read(Options());
  EXPECT_FALSE(Find(code, "schedule").code.empty()) << code.detail;
}

TEST_F(KernelCodeTest, AnotherKernelNeedsItsFile) {
  WriteKcore();
  SymbolizerOptions options = Options();
  options.running_kernel = false;
  const ModuleCode none = Read(options);
  EXPECT_TRUE(Find(none, "vfs_read").code.empty());
  EXPECT_NE(none.detail.find("another boot"), std::string::npos) << none.detail;
  options.vmlinux = std::string("/boot/vmlinux-") + kRelease;
  const ModuleCode code = Read(options);
  ASSERT_FALSE(Find(code, "vfs_read").code.empty()) << code.detail;
  EXPECT_NE(Find(code, "vfs_read").code[0], std::byte{0x90});
}

TEST_F(KernelCodeTest, ModulesHaveCodeInMemoryOnly) {
  const ModuleCode none = Read(Options(), model::ModuleKind::kKernelModule);
  EXPECT_TRUE(Find(none, "schedule").code.empty());
  EXPECT_NE(none.detail.find("only /proc/kcore has their code"), std::string::npos) << none.detail;
  WriteKcore();
  const ModuleCode code = Read(Options(), model::ModuleKind::kKernelModule);
  EXPECT_FALSE(Find(code, "schedule").code.empty()) << code.detail;
}

TEST_F(KernelCodeTest, BrokenMemoryIsSaid) {
  Write("proc/kcore", "\177ELF");
  const ModuleCode code = Read(Options(), model::ModuleKind::kKernelModule);
  EXPECT_NE(code.detail.find("/proc/kcore: no 64-bit ELF core file"), std::string::npos)
      << code.detail;
}

}  // namespace
}  // namespace prof::symbols
