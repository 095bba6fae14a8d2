// Names of functions from their DWARF entries.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>

namespace prof::symbols {

// The linkage name of a subprogram or inlined subroutine; for functions without one (anonymous
// namespaces, C) the name with the namespaces and classes around it. Remembers what it found,
// because the same functions are inlined again and again. One object per Dwarf.
class DwarfNames {
 public:
  const std::string& Of(Dwarf_Die function);

 private:
  std::unordered_map<const void*, std::string> by_entry_;
};

}  // namespace prof::symbols
