// Reads arbitrary bytes as an ELF file with DWARF: as a program, as its own dwz file, as a .dwo
// file and as the index of a package.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/dwarf/dwarf_index.h"
#include "symbols/dwarf/function_names.h"
#include "symbols/dwarf/function_walk.h"

namespace {

using namespace prof::symbols;

void ResolveAll(const ElfFile& file) {
  std::vector<prof::model::FileAddr> wanted;
  for (std::uint64_t address = 1; address < 0x1800; address += 7) wanted.push_back({address});
  const std::vector<std::string_view> symbols(wanted.size(), "_ZN4name5cloneEv.part.0");
  if (auto index = DwarfIndex::Open(file, {.alternate = &file})) {
    (*index)->Lookup(wanted, symbols);
    static_cast<void>((*index)->Problems());
  }
}

// Every unit, with the names of all functions around the addresses.
void WalkSplit(const ElfFile& file) {
  auto linked = DwarfFile::Open(file, DwarfFile::Kind::kLinked, nullptr);
  auto split = DwarfFile::Open(file, DwarfFile::Kind::kSplit, nullptr);
  if (!linked || !split || (*linked)->headers().empty()) return;
  const Unit* skeleton = (*linked)->UnitAt((*linked)->headers().front().offset);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t address = 1; address < 0x1800; address += 31) addresses.push_back(address);
  const LearnedNames learned;
  FunctionNames names(learned);
  for (const UnitHeader& header : (*split)->headers()) {
    const Unit* unit = (*split)->SplitUnitAt(header.offset, {}, *skeleton);
    for (const FunctionChain& chain : WalkUnit(*unit, addresses).chains) {
      for (const Entry& entry : chain.entries) names.Of(entry);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(ReadPackageIndex(bytes));
  auto file = ElfFile::FromBytes({bytes.begin(), bytes.end()}, "fuzz");
  if (!file) return 0;
  ResolveAll(**file);
  WalkSplit(**file);
  return 0;
}
