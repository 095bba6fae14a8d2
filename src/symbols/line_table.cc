// Looks up source lines of addresses.
#include "symbols/line_table.h"

#include <dwarf.h>

namespace prof::symbols {

LineTable::LineTable(Dwarf_Die unit) {
  Dwarf_Attribute attribute;
  const char* folder = ::dwarf_formstring(::dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  if (folder != nullptr && folder[0] == '/') folder_ = std::string(folder) + "/";
  if (::dwarf_getsrclines(&unit, &lines_, &count_) != 0) {
    lines_ = nullptr;
    count_ = 0;
  }
  std::size_t files = 0;
  if (::dwarf_getsrcfiles(&unit, &files_, &files) != 0) files_ = nullptr;
}

SourceLine LineTable::Find(std::uint64_t address) const {
  // libdw sorts rows by address and puts the end of a sequence before the next one's first row.
  std::size_t low = 0;
  for (std::size_t high = count_; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    Dwarf_Addr row = 0;
    ::dwarf_lineaddr(::dwarf_onesrcline(lines_, middle), &row);
    if (row <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return {};
  Dwarf_Line* row = ::dwarf_onesrcline(lines_, low - 1);
  bool end_of_sequence = false;
  int line = 0;
  if (::dwarf_lineendsequence(row, &end_of_sequence) != 0 || end_of_sequence) return {};
  ::dwarf_lineno(row, &line);
  const char* file = ::dwarf_linesrc(row, nullptr, nullptr);
  return {FullPath(file), line < 0 ? 0u : static_cast<std::uint32_t>(line)};
}

std::string LineTable::FileName(std::uint64_t index) const {
  const char* file = files_ == nullptr ? nullptr
                                       : ::dwarf_filesrc(files_, static_cast<std::size_t>(index),
                                                         nullptr, nullptr);
  return FullPath(file);
}

std::string LineTable::FullPath(const char* file) const {
  if (file == nullptr) return {};
  return file[0] == '/' ? std::string(file) : folder_ + file;
}

}  // namespace prof::symbols
