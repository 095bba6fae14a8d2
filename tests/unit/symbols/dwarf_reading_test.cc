// The pieces of the DWARF reader that the tests of whole programs cannot reach.
#include <elf.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include "support/run_process.h"
#include "support/temp_dir.h"
#include "symbols/dwarf/dwarf_index.h"
#include "symbols/dwarf/inflate.h"
#include "symbols/dwarf/parallel.h"
#include "symbols/dwarf/split_units.h"
#include "symbols/elf_file.h"

namespace prof::symbols {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(ParallelTest, EveryPieceIsDoneOnce) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    std::vector<std::atomic<int>> done(1000);
    ForEachInParallel(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) ASSERT_EQ(count, 1);
  }
  ForEachInParallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(UnpackTest, ZstdGivesBackWhatWasPacked) {
  const std::string text(5000, 'x');
  std::string packed(::ZSTD_compressBound(text.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  const auto unpacked = Unpack({Packing::kZstd, Bytes(packed), text.size()});
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(unpacked->data.get()), unpacked->size), text);
  EXPECT_FALSE(Unpack({Packing::kZstd, Bytes(packed), text.size() - 1}));
  EXPECT_FALSE(Unpack({Packing::kZstd, Bytes(packed), text.size() + 1}));
  EXPECT_FALSE(Unpack({Packing::kZstd, Bytes(packed.substr(0, packed.size() / 2)), text.size()}));
}

TEST(UnpackTest, BrokenZlibIsAnError) {
  EXPECT_FALSE(Unpack({Packing::kZlib, Bytes("no zlib stream"), 100}));
  EXPECT_FALSE(Unpack({Packing::kZlib, {}, 100}));
}

TEST(PackageIndexTest, BrokenIndexesHaveNoUnits) {
  const auto word = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const std::string id = "12345678";
  // One unit in one slot, columns .debug_info and .debug_abbrev.
  const std::string whole = word(5) + word(2) + word(1) + word(1) + id + word(1) + word(1) +
                            word(3) + word(0x40) + word(0x50) + word(0x10) + word(0x20);
  const auto units = ReadPackageIndex(Bytes(whole));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].id, 0x3837363534333231u);
  EXPECT_EQ(units[0].info, 0x40u);
  EXPECT_EQ(units[0].part.abbreviations, 0x50u);
  for (std::size_t size = 0; size + 8 < whole.size(); ++size) {  // sizes are not read
    EXPECT_TRUE(ReadPackageIndex(Bytes(whole.substr(0, size))).empty()) << size;
  }
  const std::string huge = word(5) + word(2) + word(~0u) + word(~0u) + id;
  EXPECT_TRUE(ReadPackageIndex(Bytes(huge)).empty());
}

// Four C files with the functions NAME_0, NAME_1, ... on lines of their own, and over 1 MB of types
// each.
std::string ManyUnits(int functions) {
  std::string source;
  for (int i = 0; i < functions; ++i) {
    source += "int JOIN(NAME, _" + std::to_string(i) + ")(int x) { return x + " +
              std::to_string(i) + "; }\n";
  }
  for (int i = 0; i < 12000; ++i) {
    const std::string n = std::to_string(i);
    source += "struct t" + n + " { int a, b, c, d; long e, f; struct t" + n + " *next; };\n";
  }
  return source;
}

TEST(DwarfIndexTest, ManyUnitsOnThreadsAnswerForTheirOwnAddresses) {
  const test::TempDir dir;
  constexpr int kFunctions = 50;
  std::ofstream(dir.File("many.c")) << ManyUnits(kFunctions);
  const auto built = test::RunProgram(
      {"sh", "-c",
       "command -v gcc || exit 77; for name in a b c d; do gcc -O1 -fPIC -g "
       "-fno-eliminate-unused-debug-types -c many.c -o $name.o "
       "'-DJOIN(x,y)=PASTE(x,y)' '-DPASTE(x,y)=x##y' -DNAME=$name || exit 1; done; "
       "gcc -shared -nostdlib a.o b.o c.o d.o -o many.so"},
      {.folder = dir.path().string()});
  if (built.status == 77) GTEST_SKIP() << "no gcc";
  ASSERT_EQ(built.status, 0) << built.err;
  auto file = ElfFile::Open(dir.File("many.so"));
  ASSERT_TRUE(file);
  ASSERT_GT((*file)->Find(".debug_info")->size, std::size_t{4} << 20) << "too small for threads";
  const ElfSection* text = (*file)->Find(".text");
  std::vector<model::FileAddr> wanted;
  for (std::uint64_t at = 0; at < text->size; ++at) wanted.push_back({text->address + at});
  auto index = DwarfIndex::Open(**file);
  ASSERT_TRUE(index);
  const auto found = (*index)->Lookup(wanted, std::vector<std::string_view>(wanted.size()));
  std::size_t functions = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].frames.empty() || found[i].function_start != wanted[i].value) continue;
    const auto& frame = found[i].frames.back();
    const std::string line = frame.name.substr(frame.name.find('_') + 1);
    EXPECT_EQ(std::to_string(frame.line - 1), line) << frame.name;
    EXPECT_EQ(frame.name[0], "abcd"[functions / kFunctions]) << frame.name;
    ++functions;
  }
  EXPECT_EQ(functions, 4u * kFunctions);
  EXPECT_EQ((*index)->Problems(), "");
}

}  // namespace
}  // namespace prof::symbols
