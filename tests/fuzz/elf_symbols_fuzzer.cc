// Reads arbitrary bytes as an ELF file: symbols, PLT, mini debug info, DWARF.
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbols/dwarf/dwarf_index.h"
#include "symbols/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto file = prof::symbols::ElfFile::FromBytes({bytes.begin(), bytes.end()}, "fuzz");
  if (!file) return 0;
  std::vector<prof::model::FileAddr> wanted;
  for (std::uint64_t address = 0; address < 0x1000; address += 8) wanted.push_back({address});
  prof::symbols::SymbolMatch match(wanted);
  prof::symbols::OfferElfSymbols(**file, SHT_SYMTAB, match);
  prof::symbols::OfferElfSymbols(**file, SHT_DYNSYM, match);
  static_cast<void>(match.Best());
  prof::symbols::OpenMiniDebugInfo(**file);
  prof::symbols::FindPltEntries(**file, wanted);
  if (auto index = prof::symbols::DwarfIndex::Open(**file))
    (*index)->Lookup(wanted, std::vector<std::string_view>(wanted.size()));
  return 0;
}
