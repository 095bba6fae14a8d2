// Where control goes after an AArch64 instruction, from its four bytes.
#pragma once

#include <cstdint>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {

// Sets `flow`, `target` and `referred` (of loads relative to the program counter) for `word` at
// `result.address`.
void SetAarch64Flow(std::uint32_t word, Instruction& result);

}  // namespace prof::disasm
