// Which vector instructions exist in VEX and EVEX, so that objdump says which of them it is.
#pragma once

#include "disasm/x86/decoded.h"

namespace prof::disasm::x86 {

// "{evex} ": it uses nothing that only EVEX has.
bool NeedsEvexMark(const Decoded& decoded);
// "{vex} ": the plain name means EVEX.
bool NeedsVexMark(const Decoded& decoded);

}  // namespace prof::disasm::x86
