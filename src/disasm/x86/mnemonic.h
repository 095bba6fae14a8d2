// Mnemonics as objdump spells them: AT&T's suffixes, aliases of comparisons, x87.
#pragma once

#include "disasm/x86/decoded.h"
#include "disasm/x86/text_buffer.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm::x86 {

void AddMnemonic(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// The mnemonic of an x87 instruction.
void AddX87Mnemonic(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// Comparisons and carry-less products whose immediate operand became part of the name: adds the
// name and returns true. The caller does not show the operand then.
bool AddPredicateMnemonic(const Decoded& decoded, TextBuffer& text);
// Whether AddPredicateMnemonic would.
bool HasPredicateMnemonic(const Decoded& decoded);

}  // namespace prof::disasm::x86
