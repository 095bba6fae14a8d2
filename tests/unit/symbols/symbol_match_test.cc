// Which symbol covers an address.
#include "symbols/symbol_match.h"

#include <gtest/gtest.h>

#include <string>

namespace prof::symbols {
namespace {

std::vector<std::string> Names(const std::vector<Symbol>& symbols,
                               std::initializer_list<std::uint64_t> addresses) {
  std::vector<model::FileAddr> wanted;
  for (const std::uint64_t address : addresses) wanted.push_back({address});
  SymbolMatch match(wanted);
  for (const Symbol& symbol : symbols) match.Offer(symbol);
  std::vector<std::string> names;
  for (const Symbol& best : match.Best()) names.emplace_back(best.name);
  return names;
}

Symbol Sized(std::uint64_t start, std::uint64_t size, std::string_view name,
             Binding binding = Binding::kLocal) {
  return {.start = start, .size = size, .limit = 0x1000, .binding = binding, .name = name};
}

using Strings = std::vector<std::string>;

TEST(SymbolMatchTest, CoversItsBytesAndNoMore) {
  EXPECT_EQ(Names({Sized(0x100, 0x10, "f")}, {0xff, 0x100, 0x10f, 0x110}),
            (Strings{"", "f", "f", ""}));
}

TEST(SymbolMatchTest, SymbolWithoutSizeEndsAtTheNextOne) {
  EXPECT_EQ(Names({Sized(0x200, 0x10, "g"), Sized(0x100, 0, "f")}, {0x100, 0x1ff, 0x205, 0x210}),
            (Strings{"f", "f", "g", ""}));
}

TEST(SymbolMatchTest, SymbolWithoutSizeEndsWithItsSection) {
  EXPECT_EQ(Names({Sized(0xf00, 0, "f")}, {0xfff, 0x1000}), (Strings{"f", ""}));
}

TEST(SymbolMatchTest, FillsInTheSize) {
  const model::FileAddr wanted[] = {{0x110}};
  SymbolMatch match(wanted);
  match.Offer(Sized(0x100, 0, "f"));
  match.Offer(Sized(0x180, 0, "g"));
  EXPECT_EQ(match.Best()[0].size, 0x80u);
}

TEST(SymbolMatchTest, InnerSymbolWins) {
  EXPECT_EQ(
      Names({Sized(0x100, 0x100, "outer"), Sized(0x140, 0x10, "inner")}, {0x13f, 0x140, 0x150}),
      (Strings{"outer", "inner", "outer"}));
}

TEST(SymbolMatchTest, OfAliasesTheGlobalWithoutUnderscoresWins) {
  EXPECT_EQ(Names({Sized(0x100, 8, "weak", Binding::kWeak), Sized(0x100, 8, "local"),
                   Sized(0x100, 8, "__global", Binding::kGlobal),
                   Sized(0x100, 8, "global", Binding::kGlobal)},
                  {0x100}),
            (Strings{"global"}));
  EXPECT_EQ(Names({Sized(0x100, 8, "weak", Binding::kWeak), Sized(0x100, 8, "local")}, {0x100}),
            (Strings{"local"}));
}

TEST(SymbolMatchTest, FunctionsWinOverLabels) {
  Symbol label = Sized(0x100, 8, "a_longer_label", Binding::kGlobal);
  label.function = false;
  EXPECT_EQ(Names({label, Sized(0x100, 8, "f")}, {0x100}), (Strings{"f"}));
}

}  // namespace
}  // namespace prof::symbols
