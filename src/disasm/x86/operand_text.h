// Operands as objdump spells them, in both syntaxes.
#pragma once

#include <Zydis/Zydis.h>

#include "disasm/x86/decoded.h"
#include "disasm/x86/text_buffer.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm::x86 {

void AddRegister(ZydisRegister value, Syntax syntax, TextBuffer& text);
void AddSegmentOverride(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// "-0x8(%rbp)", "QWORD PTR [rbp-0x8]"
void AddMemory(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
               TextBuffer& text);

// The same without its size.
void AddAddress(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
                TextBuffer& text);

// What follows the mnemonic: nothing, or all operands with commas between.
void AddOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// Operands that the instruction has without encoding them (string instructions, monitor, ...), and
// those of x87. False: it is not one of these.
bool AddFixedOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text);

// "DWORD PTR ", "DWORD BCST ", or nothing where Intel's syntax has no size.
std::string_view PointerSize(const Decoded& decoded, const ZydisDecodedOperand& operand);

// Elements that a broadcast fills.
int BroadcastCount(ZydisBroadcastMode mode);

}  // namespace prof::disasm::x86
