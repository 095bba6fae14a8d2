// What objdump and llvm-objdump print, as instructions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {

// Of code at [begin, end): instructions without gaps. Lines that are no instructions are skipped;
// addresses that do not ascend within the range too. What no line covers at the beginning, and all
// when there is no line, is nothing: the caller checks that the first begins at `begin`.
std::vector<Instruction> ParseObjdump(std::string_view output, model::FileAddr begin,
                                      model::FileAddr end);

// "ldr\tx0, 400 <f+0x8>  // comment" -> "ldr    x0, 400".
std::string CleanObjdumpText(std::string_view text);

}  // namespace prof::disasm
