// Function symbols of ELF files.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/symbol_match.h"

#include "prof/model/address.h"

namespace prof::symbols {

enum class SymbolUse : std::uint8_t {
  kCode,  // functions and code labels
  kData,  // objects: variables, constants, tables
};

// Offers every symbol of that use in the symbol table (SHT_SYMTAB or SHT_DYNSYM) of `file` to
// `match`. Names are borrowed from the file. False when the file has no such table.
bool OfferElfSymbols(const ElfFile& file, std::uint32_t table_type, SymbolMatch& match,
                     SymbolUse use = SymbolUse::kCode);

// The small symbol table that distributions put, xz-compressed, in .gnu_debugdata of stripped
// files; null when there is none or it is broken.
std::unique_ptr<ElfFile> OpenMiniDebugInfo(const ElfFile& file);

// The address of every function and code label of the file's symbol table, by name, as
// visit(name, address). False when the file has no such table.
bool ForEachFunction(
    const ElfFile& file, std::uint32_t table_type,
    const std::function<void(std::string_view name, std::uint64_t address)>& visit);

struct NamedRange {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::string name;
};

// For each wanted address inside a procedure linkage table its entry, called "function@plt"; empty
// names for all others. `wanted` ascending.
std::vector<NamedRange> FindPltEntries(const ElfFile& file,
                                       std::span<const model::FileAddr> wanted);

// For each wanted address of a slot in a global offset table what the dynamic linker puts there:
// the name of a symbol of any file, or an address of this one.
struct GotSlot {
  std::string name;
  std::uint64_t address = 0;
};

// Both empty for all other addresses. `wanted` ascending.
std::vector<GotSlot> FindGotSlots(const ElfFile& file, std::span<const model::FileAddr> wanted);

}  // namespace prof::symbols
