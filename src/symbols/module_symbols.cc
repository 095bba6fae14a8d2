#include "symbols/module_symbols.h"

#include <elf.h>

#include "symbols/symbol_match.h"

namespace prof::symbols {

std::vector<NamedRange> NameAddresses(OpenModule& module,
                                      std::span<const model::FileAddr> addresses,
                                      std::string& detail) {
  const ElfFile& file = module.file();
  SymbolMatch match(addresses);
  if (OfferElfSymbols(file, SHT_SYMTAB, match)) {
    detail = ".symtab";
  } else if (const ElfFile* debug = module.debug_file();
             debug != nullptr && OfferElfSymbols(*debug, SHT_SYMTAB, match)) {
    detail = ".symtab of " + debug->name();
  } else {
    const ElfFile* mini = module.MiniDebugInfo();
    if (mini != nullptr && OfferElfSymbols(*mini, SHT_SYMTAB, match)) detail = ".gnu_debugdata";
    if (OfferElfSymbols(file, SHT_DYNSYM, match))
      detail += detail.empty() ? ".dynsym" : ", .dynsym";
  }
  std::vector<NamedRange> ranges = FindPltEntries(file, addresses);
  const std::vector<Symbol> best = match.Best();
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!best[i].name.empty()) {
      ranges[i] = {best[i].start, best[i].size, std::string(best[i].name)};
    }
  }
  return ranges;
}

}  // namespace prof::symbols
