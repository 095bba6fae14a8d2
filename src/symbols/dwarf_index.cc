// Resolves addresses to inline chains with libdw.
#include "symbols/dwarf_index.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "symbols/dwarf_names.h"
#include "symbols/dwarf_units.h"
#include "symbols/dwarf_walk.h"
#include "symbols/line_table.h"

namespace prof::symbols {
namespace {

std::uint64_t Unsigned(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (::dwarf_attr(&die, name, &attribute) == nullptr ||
      ::dwarf_formudata(&attribute, &value) != 0) {
    return 0;
  }
  return value;
}

// libdw inflates every compressed debug section when it opens a file. These are large and of no use
// here; it passes over sections without bytes. Only libelf's copy of the headers changes.
void HideUnusedSections(const ElfFile& file) {
  constexpr std::array<std::string_view, 6> kUnused = {".debug_loc",          ".debug_loclists",
                                                       ".debug_macro",        ".debug_macinfo",
                                                       ".debug_gnu_pubnames", ".debug_frame"};
  for (const ElfSection& section : file.sections()) {
    GElf_Shdr header;
    if (std::ranges::find(kUnused, section.name) == kUnused.end() ||
        ::gelf_getshdr(section.scn, &header) == nullptr) {
      continue;
    }
    header.sh_type = SHT_NOBITS;
    ::gelf_update_shdr(section.scn, &header);
  }
}

// Where the functions of a unit are described: the unit itself, or the .dwo part of a split one.
Dwarf_Die FunctionsOf(const Dwarf_Die& unit) {
  std::uint8_t type = 0;
  Dwarf_Die split{};
  if (::dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton && split.addr != nullptr) {
    return split;
  }
  return unit;
}

std::vector<model::SymbolFrame> MakeFrames(FunctionChain& chain, SourceLine position,
                                           const LineTable& lines, DwarfNames& names) {
  std::vector<model::SymbolFrame> frames;
  frames.reserve(chain.entries.size());
  for (std::size_t i = chain.entries.size(); i-- > 0;) {
    Dwarf_Die& entry = chain.entries[i];
    frames.push_back({names.Of(entry), std::move(position.file), position.line, i != 0});
    if (i == 0) break;
    position = {lines.FileName(Unsigned(entry, DW_AT_call_file)),
                static_cast<std::uint32_t>(Unsigned(entry, DW_AT_call_line))};
  }
  if (frames.empty() && position.line != 0) {
    frames.push_back({{}, std::move(position.file), position.line, false});
  }
  return frames;
}

}  // namespace

Result<std::unique_ptr<DwarfIndex>> DwarfIndex::Open(const ElfFile& file,
                                                     const ElfFile* alternate) {
  std::unique_ptr<DwarfIndex> index(new DwarfIndex);
  HideUnusedSections(file);
  index->dwarf_ = ::dwarf_begin_elf(file.elf(), DWARF_C_READ, nullptr);
  if (index->dwarf_ == nullptr) {
    return Fail(ErrorKind::kBadData, file.name() + ": no usable DWARF: " + ::dwarf_errmsg(-1));
  }
  index->line_sections_ = LineSections::Of(file);
  if (alternate != nullptr) {
    index->alternate_ = ::dwarf_begin_elf(alternate->elf(), DWARF_C_READ, nullptr);
    if (index->alternate_ != nullptr) ::dwarf_setalt(index->dwarf_, index->alternate_);
  }
  return index;
}

DwarfIndex::~DwarfIndex() {
  if (dwarf_ != nullptr) ::dwarf_end(dwarf_);
  if (alternate_ != nullptr) ::dwarf_end(alternate_);
}

std::vector<DwarfLocation> DwarfIndex::Lookup(std::span<const model::FileAddr> wanted,
                                              std::span<const std::string_view> symbols) {
  std::vector<DwarfLocation> locations(wanted.size());
  DwarfNames names;
  for (UnitAddresses& unit : FindUnits(dwarf_, wanted)) {
    const LineTable lines(line_sections_, unit.unit);
    std::vector<FunctionChain> chains = WalkUnit(FunctionsOf(unit.unit), unit.addresses);
    std::vector<SourceLine> positions = lines.Find(unit.addresses);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (chains[i].entries.empty()) continue;
      names.Learn(chains[i].entries.front(), symbols[unit.wanted[i]]);
    }
    for (std::size_t i = 0; i < chains.size(); ++i) {
      DwarfLocation& location = locations[unit.wanted[i]];
      location.function_start = chains[i].begin;
      location.function_size = chains[i].end - chains[i].begin;
      location.frames = MakeFrames(chains[i], std::move(positions[i]), lines, names);
    }
  }
  return locations;
}

}  // namespace prof::symbols
