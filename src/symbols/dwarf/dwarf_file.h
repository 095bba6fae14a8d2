// The units of one file with DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf/debug_sections.h"
#include "symbols/dwarf/unit.h"
#include "symbols/elf_file.h"

#include "prof/base/result.h"

namespace prof::symbols {

// Thread-safe after Open(); units and abbreviations are read when first asked for and then stay.
// The ELF file must outlive the object.
class DwarfFile {
 public:
  enum class Kind : std::uint8_t { kLinked, kSplit };  // kSplit: a .dwo file or .dwp package
  // `alternate`: the file dwz moved common entries to, or null; it must outlive the object too.
  static Result<std::unique_ptr<DwarfFile>> Open(const ElfFile& file, Kind kind,
                                                 const DwarfFile* alternate);

  [[nodiscard]] const DebugSections& sections() const { return sections_; }
  [[nodiscard]] const DwarfFile* alternate() const { return alternate_; }
  // All units, ascending by offset; the list ends at the first header that makes no sense.
  [[nodiscard]] std::span<const UnitHeader> headers() const { return headers_; }
  [[nodiscard]] bool headers_complete() const { return headers_complete_; }

  // The unit whose header is at `offset`, or null.
  [[nodiscard]] const Unit* UnitAt(std::uint64_t offset) const;
  // The unit that the entry at `offset` is in, or null.
  [[nodiscard]] const Unit* UnitContaining(std::uint64_t offset) const;
  // The id that a split unit shares with its skeleton; 0: none.
  [[nodiscard]] std::uint64_t SplitId(const UnitHeader& header) const;
  // For split units: only the first call for an offset decides `part` and `skeleton`.
  [[nodiscard]] const Unit* SplitUnitAt(std::uint64_t offset, const Contributions& part,
                                        const Unit& skeleton) const;

 private:
  struct LoadedTable {
    UnitSizes sizes;
    Abbreviations table;
  };

  explicit DwarfFile(DebugSections sections) : sections_(std::move(sections)) {}
  [[nodiscard]] const UnitHeader* HeaderContaining(std::uint64_t offset) const;
  const Unit* Load(const UnitHeader& header, const Contributions& part, const Unit* skeleton) const;
  const Abbreviations& AbbreviationsAt(std::uint64_t offset, const UnitSizes& sizes) const;

  DebugSections sections_;
  const DwarfFile* alternate_ = nullptr;
  std::vector<UnitHeader> headers_;
  bool headers_complete_ = true;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::unordered_map<std::uint64_t, std::unique_ptr<Unit>> units_;
  mutable std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<LoadedTable>>> tables_;
};

}  // namespace prof::symbols
