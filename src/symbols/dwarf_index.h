// Inline chains and source lines from DWARF.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/line_table.h"

#include "prof/base/result.h"
#include "prof/model/address.h"
#include "prof/model/record.h"

namespace prof::symbols {

// What DWARF knows about one address. Frames as in model::AddressSymbols, the last one being the
// function itself; one frame with an empty name when only the line is known, none when nothing is.
struct DwarfLocation {
  std::uint64_t function_start = 0;
  std::uint64_t function_size = 0;
  std::vector<model::SymbolFrame> frames;
};

// Steps: Open() once per file, Lookup() with all addresses wanted. Built for many addresses at
// once: each compilation unit with a wanted address is walked a single time, and in it only the
// functions that contain one. The file must outlive the object.
class DwarfIndex {
 public:
  // `alternate`: the file dwz moved common entries to, or null; it must outlive the object too.
  static Result<std::unique_ptr<DwarfIndex>> Open(const ElfFile& file, const ElfFile* alternate);
  ~DwarfIndex();
  DwarfIndex(const DwarfIndex&) = delete;
  DwarfIndex& operator=(const DwarfIndex&) = delete;

  // `wanted` ascending. One location per wanted address. `symbols`: the name the symbol table has
  // for each of them, empty for none.
  std::vector<DwarfLocation> Lookup(std::span<const model::FileAddr> wanted,
                                    std::span<const std::string_view> symbols);

 private:
  DwarfIndex() = default;

  Dwarf* dwarf_ = nullptr;
  Dwarf* alternate_ = nullptr;
  LineSections line_sections_;
};

}  // namespace prof::symbols
