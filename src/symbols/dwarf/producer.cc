// Looks for -O among the options that a compiler noted.
#include "symbols/dwarf/producer.h"

#include <dwarf.h>

#include <algorithm>

namespace prof::symbols {

bool SaysUnoptimized(std::string_view producer) {
  const bool gcc = producer.starts_with("GNU ") && !producer.starts_with("GNU GIMPLE") &&
                   !producer.starts_with("GNU AS");
  if (!gcc && producer.find("clang version ") == std::string_view::npos) return false;
  bool has_options = false;  // there is no DWARF without some -g among them
  bool optimizes = false;
  while (!producer.empty()) {
    const std::size_t end = std::min(producer.find(' '), producer.size());
    const std::string_view word = producer.substr(0, end);
    has_options |= word.starts_with("-g");
    if (word.starts_with("-O")) optimizes = word != "-O0";  // the last one counts
    producer.remove_prefix(std::min(end + 1, producer.size()));
  }
  return has_options && !optimizes;
}

bool SaysUnoptimized(const Unit& unit) {
  FormValue producer;
  ForEachAttribute({&unit, unit.header().entries}, [&](std::uint16_t name, const FormValue& value) {
    if (name == DW_AT_producer) producer = value;
  });
  return SaysUnoptimized(unit.String(producer));
}

}  // namespace prof::symbols
