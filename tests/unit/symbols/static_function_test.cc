// A static function and its inlined copies are one function, on a program built with optimization.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

TEST(StaticFunctionTest, InlinedCopiesHaveTheNameOfTheSymbolTable) {
  const std::string path = PROF_WORKLOADS "/inlined_copy";
  const auto file = ElfFile::Open(path);
  ASSERT_TRUE(file) << file.error().message;
  const ElfSection* text = (*file)->Find(".text");
  ASSERT_NE(text, nullptr);
  std::vector<model::FileAddr> addresses;
  for (std::uint64_t at = 0; at < text->size; ++at) addresses.push_back({text->address + at});

  model::Module module;
  module.kind = model::ModuleKind::kElf;
  module.path = path;
  module.build_id = (*file)->build_id();
  const auto symbols = Symbolizer(SymbolizerOptions{}).Resolve(module, addresses);
  std::set<std::string> names;
  std::size_t inlined = 0;
  for (const auto& address : symbols.addresses) {
    for (const auto& frame : address.frames) {
      if (frame.name.find("climb") == std::string::npos) continue;
      names.insert(frame.name.substr(0, frame.name.find('.')));
      inlined += frame.inlined ? 1 : 0;
    }
  }
  EXPECT_EQ(names, std::set<std::string>{"_ZL5climbmm"});
  if (inlined == 0) GTEST_SKIP() << "this compiler inlined nothing into main";
}

}  // namespace
}  // namespace prof::symbols
