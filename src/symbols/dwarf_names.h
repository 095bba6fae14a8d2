// Names of functions from their DWARF entries.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace prof::symbols {

// The linkage name of a subprogram or inlined subroutine; for functions without one (anonymous
// namespaces, C) the name with the namespaces and classes around it. Remembers what it found,
// because the same functions are inlined again and again. One object per Dwarf.
class DwarfNames {
 public:
  const std::string& Of(Dwarf_Die function);
  // Static functions have no linkage name in DWARF, but one in the symbol table: where such a
  // function was seen on its own as `symbol`, its inlined copies are called the same, so that both
  // are one function. Clone suffixes (".isra.0") are not part of the name. Call before Of().
  void Learn(Dwarf_Die function, std::string_view symbol);

 private:
  std::unordered_map<const void*, std::string> by_entry_;
};

}  // namespace prof::symbols
