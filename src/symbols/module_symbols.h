// Names of addresses from the symbol tables of a module's files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"

#include "prof/model/address.h"

namespace prof::symbols {

// The function, code label or PLT entry that covers each of `addresses` (ascending); an empty name
// where nothing does. `detail` is set to the tables that were read; empty: there is none.
std::vector<NamedRange> NameAddresses(OpenModule& module,
                                      std::span<const model::FileAddr> addresses,
                                      std::string& detail);

}  // namespace prof::symbols
