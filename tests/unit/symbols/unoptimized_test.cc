// Which code was not optimized, as compilers note it; programs are built here.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "support/code_chain.h"
#include "support/run_process.h"
#include "support/temp_dir.h"
#include "symbols/dwarf/producer.h"

#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

TEST(Producer, WithoutOptimizationTheOptionsHaveNone) {
  for (const char* producer :
       {"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -fasynchronous-unwind-tables",
        "GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O0",
        "GNU C++14 8.5.0 20210514 (Red Hat 8.5.0-4) -mtune=generic -ggdb3 -O2 -O0",
        "GNU Fortran2008 13.1.0 -g",
        "Debian clang version 19.1.7 (3~deb12u1) /usr/lib/llvm-19/bin/clang -g -O0 -c a.c",
        "clang version 18.1.0 /usr/bin/clang -grecord-command-line -gdwarf-5 -c a.c"}) {
    EXPECT_TRUE(SaysUnoptimized(producer)) << producer;
  }
}

TEST(Producer, OptimizedOrNotNotedIsNot) {
  for (const char* producer :
       {"", "GNU C17 12.2.0", "GNU C 4.4.7 20120313 (Red Hat 4.4.7-23)",
        "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables",
        "GNU C17 12.2.0 -g -O", "GNU C17 12.2.0 -g -Og", "GNU C17 12.2.0 -O0 -g -Os",
        "GNU GIMPLE 12.2.0 -mtune=generic -march=x86-64 -g -fltrans", "GNU AS 2.40 -g",
        "Debian clang version 19.1.7 (3~deb12u1)",
        "clang version 19.1.7 /usr/bin/clang -g -O3 -c a.c",
        "clang LLVM (rustc version 1.79.0 (129f3b996 2024-06-10))", "Go cmd/compile go1.22 -g",
        "   ", "GNU "}) {
    EXPECT_FALSE(SaysUnoptimized(producer)) << producer;
  }
}

// A library of one unit each: `first` compiled with some options, `second` with others.
struct Built {
  bool ok = false;
  std::size_t first = 0, second = 0, first_unoptimized = 0, second_unoptimized = 0;
};

Built Build(const std::string& compiler, const std::string& first, const std::string& second) {
  const test::TempDir dir;
  std::ofstream(dir.File("first.c")) << "int first(int x) { return x * 3 + 1; }\n";
  std::ofstream(dir.File("second.c")) << "int second(int x) { return x * 5 + 2; }\n";
  const std::string command = "command -v " + compiler + " > out.txt || exit 77; " + compiler +
                              " -fPIC -c first.c " + first + " && " + compiler +
                              " -fPIC -c second.c " + second + " && " + compiler +
                              " -shared -nostdlib -Wl,--build-id first.o second.o -o out.so";
  const auto result = test::RunProgram({"sh", "-c", command}, {.folder = dir.path().string()});
  Built built;
  if (result.status == 77) return built;
  EXPECT_EQ(result.status, 0) << result.err;
  SymbolizerOptions options;
  options.debug_dirs.clear();
  Symbolizer symbolizer(options);
  model::Module module;
  module.kind = model::ModuleKind::kElf;
  module.path = dir.File("out.so");
  const auto symbols = symbolizer.Resolve(module, test::CodeAddresses(module.path));
  EXPECT_EQ(symbols.status, model::SymbolStatus::kOk) << symbols.detail;
  for (const model::AddressSymbols& address : symbols.addresses) {
    if (address.frames.empty()) continue;
    const bool is_first = address.frames.back().name == "first";
    (is_first ? built.first : built.second) += 1;
    (is_first ? built.first_unoptimized : built.second_unoptimized) += address.unoptimized;
  }
  built.ok = built.first > 0 && built.second > 0;
  return built;
}

TEST(UnoptimizedCode, IsKnownByUnit) {
  for (const char* form : {"-g", "-g -gdwarf-4", "-g -gsplit-dwarf", "-g1"}) {
    const Built built = Build("gcc", std::string(form), std::string(form) + " -O2");
    if (!built.ok) GTEST_SKIP() << "no gcc";
    EXPECT_EQ(built.first_unoptimized, built.first) << form;
    EXPECT_EQ(built.second_unoptimized, 0u) << form;
  }
}

TEST(UnoptimizedCode, IsNotGuessed) {
  const Built quiet = Build("gcc", "-g -gno-record-gcc-switches", "-O0");  // without DWARF
  if (!quiet.ok) GTEST_SKIP() << "no gcc";
  EXPECT_EQ(quiet.first_unoptimized + quiet.second_unoptimized, 0u);
}

TEST(UnoptimizedCode, ClangSaysItWhenAsked) {
  const Built built = Build("clang", "-g -grecord-command-line", "-g");
  if (!built.ok) GTEST_SKIP() << "no clang";
  EXPECT_EQ(built.first_unoptimized, built.first);
  EXPECT_EQ(built.second_unoptimized, 0u);
}

}  // namespace
}  // namespace prof::symbols
