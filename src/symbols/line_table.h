// Source lines of one compilation unit.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::symbols {

struct SourceLine {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
};

// Decodes the unit's line program on first use (libdw keeps it); borrows the Dwarf.
class LineTable {
 public:
  explicit LineTable(Dwarf_Die unit);
  [[nodiscard]] SourceLine Find(std::uint64_t address) const;
  // By index, as DW_AT_call_file has it.
  [[nodiscard]] std::string FileName(std::uint64_t index) const;

 private:
  [[nodiscard]] std::string FullPath(const char* file) const;

  std::string
      folder_;  // what relative paths start from, with a slash; empty when that is relative too
  Dwarf_Lines* lines_ = nullptr;
  std::size_t count_ = 0;
  Dwarf_Files* files_ = nullptr;
};

}  // namespace prof::symbols
