// Split DWARF: functions live in .dwo files or one .dwp package beside the program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "symbols/dwarf/dwarf_file.h"
#include "symbols/elf_file.h"

#include "prof/base/result.h"

namespace prof::symbols {

// A row of .debug_cu_index (DWARF 5, section 7.3.5; version 2 is GNU's, which DWARF 4 came with).
struct PackedUnit {
  std::uint64_t id = 0;
  std::uint64_t info = 0;  // offset of its header
  Contributions part;
};

// The units of a package; empty when the index is malformed.
std::vector<PackedUnit> ReadPackageIndex(std::span<const std::byte> index);

// Opens the file at an absolute path.
using ElfOpener = std::function<Result<std::unique_ptr<ElfFile>>(const std::string& path)>;

// Finds the split part of skeleton units by their 64-bit id, so a file of another build is never
// used. Not thread-safe; what it found may be read by any thread and lives as long as it.
class SplitUnits {
 public:
  // `programs`: paths of the files whose package ("PATH.dwp") may hold the units.
  SplitUnits(ElfOpener open, std::vector<std::string> programs)
      : open_(std::move(open)), programs_(std::move(programs)) {}

  // Null when there is none; missing() then counts it.
  const Unit* Find(const Unit& skeleton);
  [[nodiscard]] std::size_t missing() const { return missing_.size(); }
  // Where the first missing one was expected.
  [[nodiscard]] const std::string& first_missing() const { return first_missing_; }

 private:
  struct File {
    std::unique_ptr<ElfFile> elf;
    std::unique_ptr<DwarfFile> dwarf;
  };
  struct Packed {
    const DwarfFile* package = nullptr;
    PackedUnit unit;
  };

  void OpenPackages();
  const Unit* FindInFile(const std::string& path, const Unit& skeleton);
  const DwarfFile* Open(const std::string& path);

  ElfOpener open_;
  std::vector<std::string> programs_;
  bool packages_opened_ = false;
  std::unordered_map<std::uint64_t, Packed> packed_;  // by id
  std::unordered_map<std::string, File> files_;       // without `dwarf`: not usable
  std::unordered_set<const Unit*> missing_;           // skeletons
  std::string first_missing_;
};

}  // namespace prof::symbols
