// The prefixes that objdump prints in front of a mnemonic: those that the instruction does not use,
// and those that are its own words (rep, lock, bnd, notrack).
#pragma once

#include "disasm/x86/decoded.h"
#include "disasm/x86/text_buffer.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm::x86 {

// Each with a space behind.
void AddPrefixes(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// One prefix byte by its plain name.
std::string_view PrefixName(std::uint8_t byte, bool long_mode);

}  // namespace prof::disasm::x86
