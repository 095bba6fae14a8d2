// Inline chains and source lines from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "symbols/dwarf/dwarf_code.h"
#include "symbols/dwarf/dwarf_file.h"
#include "symbols/dwarf/function_names.h"
#include "symbols/dwarf/split_units.h"
#include "symbols/elf_file.h"

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
  bool unoptimized = false;  // as in model::AddressSymbols
};

// Other files that a file's DWARF leads to.
struct DwarfCompanions {
  const ElfFile* alternate = nullptr;  // what dwz moved common entries to; must outlive the index
  std::vector<std::string> programs;   // paths of the program and its debug file: "PATH.dwp"
  ElfOpener open;                      // for .dwo and .dwp files; none: they are not looked for
};

// Steps: Open() once per file, Lookup() with all addresses wanted. Built for many addresses at
// once: each unit with a wanted address is walked a single time, and in it only the functions that
// contain one. Many units are shared among threads, which changes nothing in the answers. The file
// must outlive the object. Not thread-safe itself.
class DwarfIndex {
 public:
  static Result<std::unique_ptr<DwarfIndex>> Open(const ElfFile& file,
                                                  DwarfCompanions companions = {});

  // `wanted` ascending. One location per wanted address. `symbols`: the name the symbol table has
  // for each of them, empty for none.
  std::vector<DwarfLocation> Lookup(std::span<const model::FileAddr> wanted,
                                    std::span<const std::string_view> symbols);
  // Lines and inlined calls of whole functions, ascending by begin. For each address the names,
  // files and lines are those of the latest Lookup() of this object, when that was asked about the
  // same functions; names that only the symbol table knows of (LearnedNames) come from there, too.
  std::vector<DwarfCode> ReadFunctions(std::span<const DwarfFunction> functions);
  // What kept Open(), Lookup() and ReadFunctions() from reading everything, for people; empty:
  // nothing did.
  [[nodiscard]] std::string Problems() const;

 private:
  explicit DwarfIndex(SplitUnits split_units) : split_units_(std::move(split_units)) {}
  // The unit that has the functions: the split part where there is one.
  const Unit& FunctionsOf(const Unit& unit);

  std::unique_ptr<DwarfFile> alternate_;
  std::unique_ptr<DwarfFile> file_;
  SplitUnits split_units_;
  LearnedNames learned_;  // of the latest Lookup()
  std::unordered_set<const Unit*> malformed_units_;
  bool cut_ = false;  // ReadFunctions() left something out
};

}  // namespace prof::symbols
