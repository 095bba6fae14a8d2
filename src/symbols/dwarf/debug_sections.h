// The debug sections of one file, unpacked.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "symbols/dwarf/inflate.h"
#include "symbols/elf_file.h"

#include "prof/base/result.h"

namespace prof::symbols {

// The sections that functions, inlined calls and lines need; no others are ever unpacked.
enum class DebugSection : std::uint8_t {
  kInfo,
  kAbbrev,
  kLine,
  kLineStr,
  kStr,
  kStrOffsets,
  kAddr,
  kRanges,
  kRnglists,
  kAranges,
  kCuIndex,
};
constexpr std::size_t kDebugSections = 11;

// Immutable once loaded, so any thread may read it. Borrows from the file what is not packed.
class DebugSections {
 public:
  // `split`: those of a .dwo file or .dwp package (".debug_info.dwo"). Sections without usable
  // bytes are empty and named in problems(); without .debug_info and .debug_abbrev loading fails.
  static Result<DebugSections> Load(const ElfFile& file, bool split);

  std::span<const std::byte> operator[](DebugSection section) const {
    return bytes_[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::array<std::span<const std::byte>, kDebugSections> bytes_;
  std::vector<OwnedBytes> owned_;
  std::vector<std::string> problems_;
};

}  // namespace prof::symbols
