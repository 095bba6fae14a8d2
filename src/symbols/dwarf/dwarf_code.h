// What DWARF knows about whole functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prof/model/code.h"

namespace prof::symbols {

struct DwarfFunction {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view symbol;  // its name in the symbol table; empty: none
};

// As in model::FunctionCode.
struct DwarfCode {
  std::vector<std::string> files;
  std::vector<model::CodeLine> lines;
  std::vector<model::InlinedRange> inlined;
};

}  // namespace prof::symbols
