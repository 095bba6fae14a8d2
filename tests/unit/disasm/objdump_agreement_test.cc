// Our text of x86 against objdump's, instruction by instruction, over the libraries of this machine
// and over vector instructions that a compiler makes here. PROF_DISASM_FILES (paths, colons
// between) has further files compared from beginning to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "objdump_listing.h"
#include "support/run_process.h"
#include "support/temp_dir.h"

namespace prof::disasm {
namespace {

constexpr std::uint64_t kWindowBytes = 48 << 10;
constexpr std::size_t kWindows = 5;

const std::vector<std::string>& Folders() {
  static const std::vector<std::string> folders = {"/usr/lib/x86_64-linux-gnu/",
                                                   "/usr/lib/x86_64-linux-gnu/openblas-pthread/",
                                                   "/usr/lib64/", "/usr/bin/"};
  return folders;
}

std::vector<std::string> InstalledFiles() {
  std::vector<std::string> files;
  for (const char* name : {"libc.so.6", "libm.so.6", "libpython3.11.so.1.0", "python3.11",
                           "libcrypto.so.3", "libopenblas.so.0", "libx264.so.164", "libx265.so.199",
                           "libavcodec.so.59", "libdav1d.so.6", "libstdc++.so.6"}) {
    for (const std::string& folder : Folders()) {
      if (std::filesystem::exists(folder + name)) {
        files.push_back(folder + name);
        break;
      }
    }
  }
  if (std::filesystem::exists(PROF_BINARY)) files.emplace_back(PROF_BINARY);
  return files;
}

// Modules of the kernel that are not compressed; whole, as they are small.
std::vector<std::string> KernelModules() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator file("/lib/modules", ignored), end;
       file != end && files.size() < 20; file.increment(ignored)) {
    if (file->path().extension() == ".ko") files.push_back(file->path().string());
  }
  return files;
}

std::vector<ListedBlock> RunObjdump(const std::string& file, Syntax syntax,
                                    std::vector<std::string> range = {}) {
  std::vector<std::string> command = {"objdump", "-d", "-w", "--insn-width=15",
                                      syntax == Syntax::kAtt ? "-Matt" : "-Mintel"};
  command.insert(command.end(), range.begin(), range.end());
  command.push_back(file);
  return ParseListing(test::RunProgram(command).out);
}

// Addresses of the functions that a file names, ascending.
std::vector<std::uint64_t> FunctionAddresses(const std::string& file) {
  std::vector<std::uint64_t> addresses;
  for (const char* table : {"-T", "-t"}) {
    const std::string output = test::RunProgram({"objdump", table, file}).out;
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = std::min(output.find('\n', at), output.size());
      const std::string_view line(output.data() + at, end - at);
      at = end + 1;
      if (line.find("F .text") == std::string_view::npos) continue;
      std::uint64_t address = 0;
      std::from_chars(line.data(), line.data() + line.size(), address, 16);
      addresses.push_back(address);
    }
    if (!addresses.empty()) break;
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

// Windows that begin with functions, spread over the file.
std::vector<ListedBlock> Sample(const std::string& file, Syntax syntax,
                                const std::vector<std::uint64_t>& functions) {
  std::vector<ListedBlock> blocks;
  for (std::size_t i = 0; i < kWindows && !functions.empty(); ++i) {
    const std::uint64_t begin = functions[functions.size() * i / kWindows];
    std::vector<ListedBlock> window =
        RunObjdump(file, syntax,
                   {"--start-address=" + std::to_string(begin),
                    "--stop-address=" + std::to_string(begin + kWindowBytes)});
    if (!window.empty()) window.back().instructions.clear();  // may be cut
    std::move(window.begin(), window.end(), std::back_inserter(blocks));
  }
  return blocks;
}

void Report(const std::string& file, Syntax syntax, const Agreement& agreement) {
  std::printf("%-60s %-5s %8zu instructions, %zu differ, %zu in blocks with data\n", file.c_str(),
              syntax == Syntax::kAtt ? "att" : "intel", agreement.instructions, agreement.differing,
              agreement.skipped);
  EXPECT_EQ(agreement.differing, 0U) << file << ": " << agreement.first;
}

class ObjdumpAgreement : public ::testing::TestWithParam<Syntax> {
 protected:
  void SetUp() override {
    const std::string version = test::RunProgram({"objdump", "--version"}).out;
    if (version.empty()) GTEST_SKIP() << "no objdump: apt-get install binutils";
    if (version.substr(0, version.find('\n')).find(" 2.40") == std::string::npos)
      GTEST_SKIP() << "not objdump 2.40, whose words these are: " << version.substr(0, 60);
    auto disassembler = Disassembler::Create(Architecture::kX86_64, {.syntax = GetParam()});
    ASSERT_TRUE(disassembler.has_value()) << disassembler.error().message;
    disassembler_ = std::move(*disassembler);
  }

  std::unique_ptr<Disassembler> disassembler_;
};

TEST_P(ObjdumpAgreement, OfTheLibrariesOfThisMachine) {
  Agreement all;
  for (const std::string& file : InstalledFiles()) {
    const Agreement agreement =
        Compare(*disassembler_, Sample(file, GetParam(), FunctionAddresses(file)));
    Report(file, GetParam(), agreement);
    all += agreement;
  }
  for (const std::string& file : KernelModules()) {
    const Agreement agreement = Compare(*disassembler_, RunObjdump(file, GetParam()));
    Report(file, GetParam(), agreement);
    all += agreement;
  }
  EXPECT_GE(all.instructions, 100'000U);
  EXPECT_LT(all.skipped, all.instructions / 10);
}

TEST_P(ObjdumpAgreement, OfVectorInstructions) {
  const test::TempDir folder;
  const std::string object = folder.File("intrinsics.o");
  Agreement all;
  for (const char* compiler : {"g++", "clang++-19"}) {
    for (const char* level : {"-O0", "-O2"}) {
      const test::RunResult built = test::RunProgram({compiler,
                                                      level,
                                                      "-c",
                                                      "-w",
                                                      "-mavx512f",
                                                      "-mavx512bw",
                                                      "-mavx512vl",
                                                      "-mavx512dq",
                                                      "-mavx512cd",
                                                      "-mavx512vbmi",
                                                      "-mavx512vbmi2",
                                                      "-mavx512vnni",
                                                      "-mavx512bitalg",
                                                      "-mavx512vpopcntdq",
                                                      "-mavx512ifma",
                                                      "-mavx512bf16",
                                                      "-mavx512fp16",
                                                      "-mamx-tile",
                                                      "-mamx-int8",
                                                      "-mamx-bf16",
                                                      "-mavxvnni",
                                                      "-mgfni",
                                                      "-mvaes",
                                                      "-mvpclmulqdq",
                                                      "-mfma",
                                                      "-mf16c",
                                                      "-mbmi",
                                                      "-mbmi2",
                                                      "-mlzcnt",
                                                      "-mpopcnt",
                                                      "-madx",
                                                      "-mrtm",
                                                      "-mclflushopt",
                                                      "-mclwb",
                                                      "-msse4.2",
                                                      PROF_TEST_DATA "/disasm/intrinsics.cc",
                                                      "-o",
                                                      object});
      if (built.status != 0) continue;  // no such compiler, or too old for all of it
      const Agreement agreement = Compare(*disassembler_, RunObjdump(object, GetParam()));
      Report(std::string(compiler) + " " + level, GetParam(), agreement);
      all += agreement;
    }
  }
  if (all.instructions == 0) GTEST_SKIP() << "no compiler here builds intrinsics.cc";
  EXPECT_GE(all.instructions, 250U);
}

TEST_P(ObjdumpAgreement, OfFilesNamedByTheEnvironment) {
  const char* names = std::getenv("PROF_DISASM_FILES");
  if (names == nullptr) GTEST_SKIP() << "PROF_DISASM_FILES is not set";
  std::string_view rest(names);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    Report(file, GetParam(), Compare(*disassembler_, RunObjdump(file, GetParam())));
  }
}

INSTANTIATE_TEST_SUITE_P(Syntaxes, ObjdumpAgreement,
                         ::testing::Values(Syntax::kAtt, Syntax::kIntel), [](const auto& syntax) {
                           return syntax.param == Syntax::kAtt ? "Att" : "Intel";
                         });

}  // namespace
}  // namespace prof::disasm
