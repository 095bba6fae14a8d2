// Whether two pieces of code are the same but for where they and their targets lie.
#pragma once

#include "prof/analysis/annotate.h"

namespace prof::analysis {

// Instruction by instruction: equal bytes; or equal length and text but for an operand that is an
// address, which means the same place in the copy, or something of the same name (or without
// known name) outside of it. False without instructions.
[[nodiscard]] bool IsSameCode(const CodeCopy& a, const CodeCopy& b);

}  // namespace prof::analysis
