// One program in every form that compilers, linkers and packagers give DWARF: the answers are the
// same. The programs are built here, so that the tests follow the compilers of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/code_chain.h"
#include "support/run_process.h"
#include "support/temp_dir.h"
#include "symbols/elf_file.h"

#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

using model::FileAddr;
using model::ModuleSymbols;

constexpr const char* kSource = R"(extern "C" int sink(int);
extern "C" [[gnu::cold, noreturn]] void stop(int);
namespace ns {
namespace {
struct Gadget {
  int value;
  [[gnu::always_inline]] int Twice() const { return sink(value) * 2; }
};
}  // namespace
template <class T>
[[gnu::noinline]] T Sum(T n) {
  T sum = 0;
  for (T i = 0; i < n; ++i) sum += sink(i);
  return sum;
}
template int Sum<int>(int);
}  // namespace ns
extern "C" int in_anonymous(int x) { return ns::Gadget{x}.Twice() + 1; }
extern "C" int in_local(int x) {
  struct Inner {
    [[gnu::noinline]] static int Go(int y) { return sink(y) + 7; }
  };
  return Inner::Go(x) * 3;
}
extern "C" int in_lambda(int x) {
  const auto inner = [x](int y) __attribute__((noinline)) { return sink(x + y) + 5; };
  const auto outer = [x](int y) __attribute__((always_inline)) { return sink(y) + x; };
  return inner(x) * inner(2) + outer(4);
}
extern "C" int with_cold(int x) {
  if (x == 42) stop(x);
  return sink(x) + 1;
}
namespace {
struct Pair {
  int first, second;
};
[[gnu::noinline]] int Use(const Pair& pair) { return sink(pair.first) + 2; }
}  // namespace
extern "C" int with_clone(int x) { return Use({x, 1}) + Use({x + 1, 2}); }
)";

constexpr const char* kLink = " -shared -nostdlib -Wl,--build-id=sha1 -Wl,-z,noseparate-code";

// Runs the command in the folder; false when one of its programs is missing (it then exits with
// 77).
bool RunShell(const test::TempDir& dir, const std::string& command) {
  const auto result = test::RunProgram({"sh", "-c", command}, {.folder = dir.path().string()});
  if (result.status == 77 || result.status == 127) return false;
  EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
  return result.status == 0;
}

// Resolves every byte of code of `file`, and holds ReadCode() to the answers.
ModuleSymbols ResolveAll(const std::string& file) {
  model::Module module;
  module.kind = model::ModuleKind::kElf;
  module.path = file;
  if (auto elf = ElfFile::Open(file)) module.build_id = (*elf)->build_id();
  SymbolizerOptions options;
  options.debug_dirs.clear();
  Symbolizer symbolizer(options);
  ModuleSymbols symbols = symbolizer.Resolve(module, test::CodeAddresses(file));
  const auto code = symbolizer.ReadCode(module, test::FunctionsOf(symbols));
  EXPECT_GT(test::ExpectSameChains(symbols, code), 100u) << code.detail;
  return symbols;
}

std::string Text(const model::AddressSymbols& symbols) {
  std::string text;
  for (const auto& frame : symbols.frames) {
    text += frame.name + " " + frame.file + ":" + std::to_string(frame.line) + "\n";
  }
  return text;
}

void ExpectSame(const ModuleSymbols& expected, const ModuleSymbols& found) {
  EXPECT_EQ(found.detail.find('('), std::string::npos) << found.detail;
  ASSERT_EQ(found.addresses.size(), expected.addresses.size());
  for (std::size_t i = 0; i < found.addresses.size(); ++i) {
    ASSERT_EQ(Text(found.addresses[i]), Text(expected.addresses[i]))
        << std::hex << found.addresses[i].address.value << " " << found.detail;
  }
}

std::set<std::string> Names(const ModuleSymbols& symbols) {
  std::set<std::string> names;
  for (const auto& address : symbols.addresses) {
    for (const auto& frame : address.frames) names.insert(frame.name);
  }
  return names;
}

// Line of the source that holds `text`, from 1 on.
std::uint32_t LineOf(const std::string& text) {
  const std::string source = kSource;
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find(text));
  return 1 + static_cast<std::uint32_t>(std::count(source.begin(), end, '\n'));
}

struct Variant {
  const char* name;
  const char* compiler;
  // Makes out.so, of the source or of plain.so ("$CXX $FLAGS -gdwarf-5 source.cc -o plain.so").
  const char* command;
};

class DwarfFormatTest : public testing::TestWithParam<Variant> {};

TEST_P(DwarfFormatTest, AnswersAsThePlainFormDoes) {
  const Variant& variant = GetParam();
  const test::TempDir dir;
  std::ofstream(dir.File("source.cc")) << kSource;
  const std::string setup = std::string("CXX=") + variant.compiler + "; FLAGS='-O2 -fPIC" + kLink +
                            "'; for tool in $CXX; do command -v $tool || exit 77; done; ";
  if (!RunShell(dir, setup + "$CXX $FLAGS -gdwarf-5 source.cc -o plain.so")) {
    GTEST_SKIP() << "no " << variant.compiler;
  }
  if (!RunShell(dir, setup + variant.command)) {
    GTEST_SKIP() << "a tool is missing or does not know how: " << variant.command;
  }
  const ModuleSymbols plain = ResolveAll(dir.File("plain.so"));
  ASSERT_EQ(plain.status, model::SymbolStatus::kOk) << plain.detail;
  ExpectSame(plain, ResolveAll(dir.File("out.so")));
}

// A linker or objcopy that does not know a compression leaves the sections as they were or fails.
constexpr Variant kVariants[] = {
    {"Gcc4", "g++", "$CXX $FLAGS -gdwarf-4 source.cc -o out.so"},
    {"Gcc64BitOffsets", "g++", "$CXX $FLAGS -gdwarf-5 -gdwarf64 source.cc -o out.so"},
    {"GccTypeUnits", "g++", "$CXX $FLAGS -gdwarf-4 -fdebug-types-section source.cc -o out.so"},
    {"GccZlib", "g++", "$CXX $FLAGS -gdwarf-5 -gz=zlib source.cc -o out.so"},
    {"GccZlibGnu", "g++",
     "cp plain.so out.so && objcopy --compress-debug-sections=zlib-gnu out.so && "
     "readelf -SW out.so | grep -q zdebug_info"},
    {"GccZstd", "g++", "objcopy --compress-debug-sections=zstd plain.so out.so || exit 77"},
    {"GccSplit4", "g++", "$CXX $FLAGS -gdwarf-4 -gsplit-dwarf source.cc -o out.so"},
    {"GccSplit5", "g++", "$CXX $FLAGS -gdwarf-5 -gsplit-dwarf source.cc -o out.so"},
    {"GccPackage4", "g++",
     "command -v dwp || exit 77; $CXX $FLAGS -gdwarf-4 -gsplit-dwarf source.cc -o out.so && "
     "dwp -e out.so -o out.so.dwp && rm *.dwo"},
    {"GccPackage5", "g++",
     "command -v llvm-dwp || exit 77; $CXX $FLAGS -gdwarf-5 -gsplit-dwarf source.cc -o out.so && "
     "llvm-dwp -e out.so -o out.so.dwp && rm *.dwo"},
    {"GccDwz", "g++", "command -v dwz || exit 77; dwz plain.so -o out.so"},
    {"GccDwzShared", "g++",
     "command -v dwz || exit 77; cp plain.so out.so && cp plain.so other.so && "
     "dwz -m shared.dwz -r out.so other.so"},
    {"GccDebugFileBeside", "g++",
     "objcopy --only-keep-debug plain.so out.so.debug && strip -o out.so plain.so && "
     "objcopy --add-gnu-debuglink=out.so.debug out.so"},
    {"Clang4", "clang++", "$CXX $FLAGS -gdwarf-4 source.cc -o out.so"},
    {"ClangTypeUnits", "clang++",
     "$CXX $FLAGS -gdwarf-5 -fdebug-types-section source.cc -o out.so"},
    {"ClangZlib", "clang++", "objcopy --compress-debug-sections=zlib plain.so out.so"},
    {"ClangSplit4", "clang++",
     "$CXX $FLAGS -gdwarf-4 -gsplit-dwarf -c source.cc && $CXX $FLAGS source.o -o out.so"},
    {"ClangSplit5", "clang++",
     "$CXX $FLAGS -gdwarf-5 -gsplit-dwarf -c source.cc && $CXX $FLAGS source.o -o out.so"},
    {"ClangSplitInObject", "clang++",
     "$CXX $FLAGS -gdwarf-5 -gsplit-dwarf=single -c source.cc && $CXX $FLAGS source.o -o out.so"},
    {"ClangPackage4", "clang++",
     "command -v llvm-dwp || exit 77; $CXX $FLAGS -gdwarf-4 -gsplit-dwarf -c source.cc && "
     "$CXX $FLAGS source.o -o out.so && llvm-dwp source.dwo -o out.so.dwp && rm source.dwo"},
    {"ClangPackage5", "clang++",
     "command -v llvm-dwp || exit 77; $CXX $FLAGS -gdwarf-5 -gsplit-dwarf -c source.cc && "
     "$CXX $FLAGS source.o -o out.so && llvm-dwp source.dwo -o out.so.dwp && rm source.dwo"},
};

INSTANTIATE_TEST_SUITE_P(Forms, DwarfFormatTest, testing::ValuesIn(kVariants),
                         [](const auto& test) { return std::string(test.param.name); });

class DwarfContentTest : public testing::TestWithParam<const char*> {
 protected:
  // False: the compiler is missing.
  bool Build(const std::string& flags) {
    std::ofstream(dir_.File("source.cc")) << kSource;
    const std::string compiler = GetParam();
    return RunShell(dir_, "command -v " + compiler + " || exit 77; " + compiler + " " + flags +
                              kLink + " source.cc -o out.so");
  }

  test::TempDir dir_;
};

TEST_P(DwarfContentTest, FunctionsBeginAtTheirLinesWhereverTheyAreNested) {
  if (!Build("-O2 -fPIC -g")) GTEST_SKIP() << "no " << GetParam();
  std::map<std::string, std::uint32_t> lines;  // of the first instruction of each function
  for (const auto& address : ResolveAll(dir_.File("out.so")).addresses) {
    if (address.frames.empty() || address.address != address.function_start) continue;
    const auto& function = address.frames.back();
    lines[function.name.substr(0, function.name.find('.'))] =
        address.frames.size() == 1 ? function.line : 0;
    EXPECT_EQ(function.file, dir_.File("source.cc")) << function.name;
  }
  EXPECT_EQ(lines["_ZZ8in_localEN5Inner2GoEi"], LineOf("static int Go"));
  EXPECT_EQ(lines["_ZN2ns3SumIiEET_S1_"], LineOf("T Sum(T n)"));
  EXPECT_EQ(lines["with_cold"], LineOf("int with_cold"));
  EXPECT_EQ(lines["with_clone"], LineOf("int with_clone"));
  EXPECT_EQ(lines["in_local"], LineOf("int in_local"));
}

TEST_P(DwarfContentTest, FunctionsWithoutLinkageNameAreCalledByTheirScopes) {
  if (!Build("-O2 -fPIC -g")) GTEST_SKIP() << "no " << GetParam();
  const auto names = Names(ResolveAll(dir_.File("out.so")));
  if (names.contains("_ZNK2ns12_GLOBAL__N_16Gadget5TwiceEv")) {
    GTEST_SKIP() << GetParam() << " writes linkage names for all functions";
  }
  EXPECT_TRUE(names.contains("ns::(anonymous namespace)::Gadget::Twice"))
      << testing::PrintToString(names);
  EXPECT_TRUE(names.contains("in_lambda::{lambda}::operator()")) << testing::PrintToString(names);
}

TEST_P(DwarfContentTest, PartsAndClonesKeepTheirSuffix) {
  if (!Build("-O2 -fPIC -g")) GTEST_SKIP() << "no " << GetParam();
  const auto symbols = ResolveAll(dir_.File("out.so"));
  const auto nm = test::RunProgram({"nm", dir_.File("out.so")});
  std::size_t suffixed = 0;
  for (const auto& address : symbols.addresses) {
    if (address.frames.empty() || address.frames.back().name.empty()) continue;  // padding
    const std::string& name = address.frames.back().name;
    EXPECT_NE(nm.out.find(" " + name + "\n"), std::string::npos) << name;
    if (!name.ends_with(".cold") && name.find(".isra") == std::string::npos) continue;
    ++suffixed;
    EXPECT_EQ(address.frames.back().file, dir_.File("source.cc")) << name;
  }
  if (suffixed == 0) GTEST_SKIP() << GetParam() << " split no function";
}

TEST_P(DwarfContentTest, FunctionsInSeveralSectionsAreFound) {
  if (!Build("-O2 -fPIC -g -ffunction-sections")) GTEST_SKIP() << "no " << GetParam();
  for (const auto& address : ResolveAll(dir_.File("out.so")).addresses) {
    if (address.frames.empty()) continue;  // padding
    EXPECT_FALSE(address.frames.back().file.empty()) << Text(address);
  }
}

TEST_P(DwarfContentTest, LinkTimeOptimizationKeepsNamesAndLines) {
  if (!Build("-O2 -fPIC -g -flto -Wl,-e,in_local")) GTEST_SKIP() << "no lto in " << GetParam();
  const auto symbols = ResolveAll(dir_.File("out.so"));
  bool found = false;
  for (const auto& address : symbols.addresses) {
    if (address.frames.size() != 2 || address.frames[0].name.find("Twice") == std::string::npos) {
      continue;
    }
    found = true;
    EXPECT_NE(address.frames[0].name, "Twice");
    EXPECT_EQ(address.frames[0].line, LineOf("int Twice"));
    EXPECT_EQ(address.frames[1].name, "in_anonymous");
    EXPECT_EQ(address.frames[1].line, LineOf("int in_anonymous"));
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DwarfContentTest, testing::Values("g++", "clang++"),
                         [](const auto& test) {
                           return std::string(test.param) == "g++" ? "Gcc" : "Clang";
                         });

TEST(SplitDwarfTest, MissingFilesAreCounted) {
  const test::TempDir dir;
  std::ofstream(dir.File("source.cc")) << kSource;
  if (!RunShell(dir, std::string("command -v g++ || exit 77; g++ -O2 -fPIC -g -gsplit-dwarf") +
                         kLink + " source.cc -o out.so && rm *.dwo")) {
    GTEST_SKIP() << "no g++";
  }
  const auto symbols = ResolveAll(dir.File("out.so"));
  EXPECT_NE(symbols.detail.find("1 .dwo files missing, first " + dir.path().string()),
            std::string::npos)
      << symbols.detail;
  // Lines are in the program itself.
  EXPECT_TRUE(Names(symbols).contains("in_local"));
}

}  // namespace
}  // namespace prof::symbols
