// Where control goes after an instruction, and what it refers to.
#pragma once

#include "disasm/x86/decoded.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm::x86 {

// Sets `flow`, `target` and `referred`.
void SetFlow(const Decoded& decoded, Instruction& result);

}  // namespace prof::disasm::x86
