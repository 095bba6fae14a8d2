// Symbol tables, PLT entries, and broken files.
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "symbols/dwarf/dwarf_index.h"

namespace prof::symbols {
namespace {

using model::FileAddr;

std::string Fixture(const std::string& name) {
  return std::string(PROF_TEST_DATA "/symbols/root/lib/") + name;
}

std::vector<std::string> PltNames(const std::string& name) {
  auto file = ElfFile::Open(Fixture(name));
  EXPECT_TRUE(file.has_value());
  std::vector<FileAddr> wanted;
  for (std::uint64_t a = 0x200; a < 0x600; a += 16) wanted.push_back({a + 5});
  std::vector<std::string> names;
  for (const NamedRange& entry : FindPltEntries(**file, wanted)) {
    if (!entry.name.empty()) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

TEST(PltTest, NamesEntriesOfPlt) {
  const std::vector<std::string> expected = {"_Z3DiePKc@plt", "_ZNK6shapes3BoxIiE3SumEi@plt",
                                             "outside@plt", "puts@plt"};
  EXPECT_EQ(PltNames("dwarf5.so"), expected);
}

TEST(PltTest, NamesEntriesOfPltSec) {
  const auto names = PltNames("dwarf4gz.so");
  EXPECT_EQ(std::ranges::count(names, "puts@plt"), 1);
  EXPECT_EQ(std::ranges::count(names, "outside@plt"), 1);
}

TEST(ElfFileTest, ReadsTheBuildId) {
  auto file = ElfFile::Open(Fixture("dwarf5.so"));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ((*file)->build_id().bytes().size(), 20u);
  auto without = ElfFile::Open(Fixture("dotdebug.so"));
  ASSERT_TRUE(without.has_value());
  EXPECT_TRUE((*without)->build_id().empty());
}

// Everything that reads a file, on bytes that are not to be trusted.
void ReadEverything(std::vector<std::byte> bytes) {
  auto file = ElfFile::FromBytes(std::move(bytes), "broken");
  if (!file) return;
  std::vector<FileAddr> wanted;
  for (std::uint64_t a = 0x200; a < 0x600; a += 8) wanted.push_back({a});
  SymbolMatch match(wanted);
  OfferElfSymbols(**file, SHT_SYMTAB, match);
  OfferElfSymbols(**file, SHT_DYNSYM, match);
  EXPECT_EQ(match.Best().size(), wanted.size());
  OpenMiniDebugInfo(**file);
  FindPltEntries(**file, wanted);
  if (auto index = DwarfIndex::Open(**file))
    (*index)->Lookup(wanted, std::vector<std::string_view>(wanted.size()));
}

std::vector<std::byte> ReadFixture(const std::string& name) {
  std::ifstream file(Fixture(name), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class BrokenElfTest : public testing::TestWithParam<std::string> {};

TEST_P(BrokenElfTest, TruncationIsSurvived) {
  const auto whole = ReadFixture(GetParam());
  for (std::size_t size = 0; size < whole.size(); size += 41) {
    ReadEverything({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  }
}

TEST_P(BrokenElfTest, RandomChangesAreSurvived) {
  const auto whole = ReadFixture(GetParam());
  std::mt19937 random(42);
  for (int round = 0; round < 600; ++round) {
    auto bytes = whole;
    for (int change = 0; change < 1 + round % 8; ++change) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    ReadEverything(std::move(bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenElfTest,
                         testing::Values("dwarf5.so", "dwarf4gz.so", "clang.so", "mini.so"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('.'));
                         });

}  // namespace
}  // namespace prof::symbols
