// Code, lines, inlined calls and references of functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
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

// Templates, lambdas, recursion of inlined calls, exceptions: what the standard library brings.
constexpr const char* kSource = R"(#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
#define TWICE(x) ((x) + (x))
namespace shapes {
struct Base {
  virtual ~Base() = default;
  virtual int Area(int scale) const = 0;
};
template <int N>
struct Square : Base {
  int Area(int scale) const override { return N * TWICE(scale); }
};
}  // namespace shapes
long table[4] = {1, 2, 3, 4};
extern "C" long sort_all(std::vector<long>& values) {
  std::sort(values.begin(), values.end(), [](long a, long b) { return a % 7 < b % 7; });
  return std::accumulate(values.begin(), values.end(), table[values.size() % 4]);
}
extern "C" std::size_t count_words(const std::string& text) {
  std::map<std::string, int> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    ++words[text.substr(at, end - at)];
    at = end + 1;
  }
  if (words.empty()) throw std::string("no words");
  return words.size();
}
int main(int argc, char** argv) {
  std::vector<std::unique_ptr<shapes::Base>> all;
  for (int i = 0; i < argc; ++i) {
    if (i % 2 == 0) all.push_back(std::make_unique<shapes::Square<3>>());
    else all.push_back(std::make_unique<shapes::Square<4>>());
  }
  std::vector<long> values;
  for (const auto& shape : all) values.push_back(shape->Area(argc));
  return static_cast<int>(sort_all(values) + static_cast<long>(count_words(argv[0])));
}
)";

model::Module ElfModule(const std::string& path) {
  model::Module module;
  module.kind = model::ModuleKind::kElf;
  module.path = path;
  return module;
}

SymbolizerOptions Options() {
  SymbolizerOptions options;
  options.debug_dirs.clear();
  return options;
}

// False: a program of the command is missing.
bool RunShell(const test::TempDir& dir, const std::string& command) {
  const auto result = test::RunProgram({"sh", "-c", command}, {.folder = dir.path().string()});
  if (result.status == 77 || result.status == 127) return false;
  EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
  return result.status == 0;
}

bool Compile(const test::TempDir& dir, const std::string& compiler, const std::string& flags) {
  std::ofstream(dir.File("source.cc")) << kSource;
  return RunShell(dir, "command -v " + compiler + " || exit 77; " + compiler + " " + flags +
                           " source.cc -o program");
}

struct Read {
  model::ModuleSymbols symbols;
  ModuleCode code;
};

// Of all functions of the file.
Read ReadAll(const std::string& file, const SymbolizerOptions& options = Options()) {
  Symbolizer symbolizer(options);
  const model::Module module = ElfModule(file);
  auto symbols = symbolizer.Resolve(module, test::CodeAddresses(file));
  auto code = symbolizer.ReadCode(module, test::FunctionsOf(symbols));
  return {std::move(symbols), std::move(code)};
}

const FunctionCode& Find(const ModuleCode& code, const std::string& name) {
  static const FunctionCode none;
  const auto found = std::ranges::find(code.functions, name, &FunctionCode::name);
  EXPECT_NE(found, code.functions.end()) << name;
  return found == code.functions.end() ? none : *found;
}

struct Build {
  const char* name;
  const char* compiler;
  const char* flags;
};

class ChainsTest : public testing::TestWithParam<Build> {};

TEST_P(ChainsTest, AreThoseOfResolveAtEveryAddress) {
  const test::TempDir dir;
  if (!Compile(dir, GetParam().compiler, GetParam().flags)) {
    GTEST_SKIP() << "no " << GetParam().compiler;
  }
  const Read read = ReadAll(dir.File("program"));
  EXPECT_GT(test::ExpectSameChains(read.symbols, read.code), 2000u) << read.code.detail;
  std::size_t inlined = 0;
  for (const FunctionCode& function : read.code.functions) inlined += function.inlined.size();
  EXPECT_GT(inlined, 20u) << read.code.detail;
}

constexpr Build kBuilds[] = {
    {"GccDwarf5", "g++", "-O2 -gdwarf-5"},
    {"GccDwarf4", "g++", "-O3 -gdwarf-4"},
    {"GccSmall", "g++", "-Os -g"},
    {"GccSplit", "g++", "-O2 -g -gsplit-dwarf"},
    {"GccLto", "g++", "-O2 -g -flto -ffunction-sections"},
    {"ClangDwarf5", "clang++", "-O2 -gdwarf-5"},
    {"ClangDwarf4", "clang++", "-O3 -gdwarf-4"},
    {"ClangSplit", "clang++", "-O2 -g -gsplit-dwarf"},
};

INSTANTIATE_TEST_SUITE_P(Builds, ChainsTest, testing::ValuesIn(kBuilds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ReadCodeTest, BytesAreThoseOfTheFile) {
  const test::TempDir dir;
  if (!Compile(dir, "g++", "-O2 -g")) GTEST_SKIP() << "no g++";
  const Read read = ReadAll(dir.File("program"));
  EXPECT_EQ(read.code.machine.number, ElfFile::Open(dir.File("program")).value()->machine());
  EXPECT_NE(read.code.detail.find("code of " + dir.File("program")), std::string::npos);
  const FunctionCode& function = Find(read.code, "sort_all");
  ASSERT_EQ(function.code.size(), function.size);
  ASSERT_TRUE(RunShell(dir, "objcopy -O binary --only-section=.text program text"));
  std::ifstream file(dir.File("text"), std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string bytes(reinterpret_cast<const char*>(function.code.data()),
                          function.code.size());
  EXPECT_NE(text.find(bytes), std::string::npos);
}

TEST(ReadCodeTest, FilesWithoutSectionsHaveCodeInSegments) {
  const test::TempDir dir;
  if (!Compile(dir, "g++", "-O2 -g")) GTEST_SKIP() << "no g++";
  const Read whole = ReadAll(dir.File("program"));
  const FunctionCode& function = Find(whole.code, "sort_all");
  std::fstream file(dir.File("program"), std::ios::in | std::ios::out | std::ios::binary);
  Elf64_Ehdr header;
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  file.seekp(0);
  file.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file.close();
  const std::vector<FunctionRange> wanted = {{function.start, function.size, "sort_all"}};
  const auto code = Symbolizer(Options()).ReadCode(ElfModule(dir.File("program")), wanted);
  EXPECT_EQ(code.functions.at(0).code, function.code);
}

TEST(ReadCodeTest, DebugFilesHaveNoCode) {
  const test::TempDir dir;
  if (!Compile(dir, "g++", "-O2 -g")) GTEST_SKIP() << "no g++";
  const FunctionCode function = Find(ReadAll(dir.File("program")).code, "sort_all");
  ASSERT_TRUE(RunShell(dir, "objcopy --only-keep-debug program"));
  const std::vector<FunctionRange> wanted = {{function.start, function.size, "sort_all"}};
  const auto code = Symbolizer(Options()).ReadCode(ElfModule(dir.File("program")), wanted);
  EXPECT_TRUE(code.functions.at(0).code.empty());
  EXPECT_EQ(code.functions.at(0).lines, function.lines);
  EXPECT_NE(code.detail.find("1 of 1 functions has no code in"), std::string::npos) << code.detail;
}

TEST(ReadCodeTest, WhatIsNotThereIsSaid) {
  const std::vector<FunctionRange> wanted = {{{0x1000}, 16, "f"}, {{0x2000}, 0, "g"}};
  const auto missing = Symbolizer(Options()).ReadCode(ElfModule("/no/such/file"), wanted);
  ASSERT_EQ(missing.functions.size(), 2u);
  EXPECT_EQ(missing.functions[0].name, "f");
  EXPECT_TRUE(missing.functions[0].code.empty());
  EXPECT_NE(missing.detail.find("/no/such/file"), std::string::npos) << missing.detail;
  model::Module jit = ElfModule("/tmp/perf-1.map");
  jit.kind = model::ModuleKind::kJit;
  EXPECT_NE(Symbolizer(Options()).ReadCode(jit, wanted).detail.find("jitdump"), std::string::npos);
}

TEST(ReadCodeTest, FilesOfAnotherBuildAreRefused) {
  const test::TempDir dir;
  if (!Compile(dir, "g++", "-O2 -g")) GTEST_SKIP() << "no g++";
  model::Module module = ElfModule(dir.File("program"));
  const std::byte other[] = {std::byte{1}, std::byte{2}};
  module.build_id = model::BuildId(other);
  const std::vector<FunctionRange> wanted = {{{0x1000}, 16, "f"}};
  const auto code = Symbolizer(Options()).ReadCode(module, wanted);
  EXPECT_NE(code.detail.find("build ID"), std::string::npos) << code.detail;
}

#ifdef __x86_64__
// Names of what a function refers to.
std::vector<std::string> ReferencesOf(const ModuleCode& code, const std::string& function) {
  std::vector<std::string> names;
  for (const model::CodeReference& reference : Find(code, function).references) {
    names.push_back(reference.name +
                    (reference.offset == 0 ? "" : "+" + std::to_string(reference.offset)));
  }
  return names;
}

constexpr const char* kReferences = R"(#include <stdlib.h>
#include <string.h>
long table[4] = {1, 2, 3, 4};
static long hidden[3] = {5, 6, 7};
__attribute__((noinline)) int callee(int x) { return x + table[x % 4]; }
int caller(const char* text, int x) {
  hidden[x % 3] += x;
  if (x == 7) abort();
  return callee(strlen(text) + x) + table[2] + hidden[1];
}
int main(int argc, char** argv) { return caller(argv[0], argc); }
)";

TEST(ReferencesTest, CallsAndDataHaveNames) {
  const test::TempDir dir;
  std::ofstream(dir.File("source.c")) << kReferences;
  ASSERT_TRUE(RunShell(dir,
                       "command -v gcc || exit 77; gcc -O2 -g -fno-builtin -fPIE -pie "
                       "-fno-plt source.c -o direct; gcc -O2 -g -fno-builtin -fPIE -pie "
                       "-fplt source.c -o plt"));
  const auto plt = ReferencesOf(ReadAll(dir.File("plt")).code, "caller");
  EXPECT_TRUE(std::ranges::count(plt, "strlen@plt")) << testing::PrintToString(plt);
  EXPECT_TRUE(std::ranges::count(plt, "callee")) << testing::PrintToString(plt);
  EXPECT_TRUE(std::ranges::count(plt, "table+16")) << testing::PrintToString(plt);
  EXPECT_TRUE(std::ranges::count(plt, "hidden+8")) << testing::PrintToString(plt);
  const auto direct = ReferencesOf(ReadAll(dir.File("direct")).code, "caller");
  EXPECT_TRUE(std::ranges::count(direct, "strlen@got")) << testing::PrintToString(direct);
}

TEST(ReferencesTest, AreLeftOutOnDemand) {
  const test::TempDir dir;
  std::ofstream(dir.File("source.c")) << kReferences;
  ASSERT_TRUE(RunShell(dir, "command -v gcc || exit 77; gcc -O2 source.c -o program"));
  SymbolizerOptions options = Options();
  options.references = false;
  EXPECT_TRUE(ReferencesOf(ReadAll(dir.File("program"), options).code, "caller").empty());
}
#endif

}  // namespace
}  // namespace prof::symbols
