#include "disasm/x86/mnemonic.h"

#include <algorithm>
#include <string_view>

#include "disasm/x86/name_table.h"
#include "disasm/x86/string_instruction.h"
#include "disasm/x86/vex_twins.h"

namespace prof::disasm::x86 {
namespace {

char SizeLetter(int bits) {
  switch (bits) {
    case 8:
      return 'b';
    case 16:
      return 'w';
    case 32:
      return 'l';
    default:
      return 'q';
  }
}

char LengthLetter(int bits) {
  switch (bits) {
    case 128:
      return 'x';
    case 256:
      return 'y';
    default:
      return 'z';
  }
}

bool ShowsRegister(const Decoded& decoded) {
  return std::any_of(decoded.shown.begin(), decoded.shown.begin() + decoded.shown_count,
                     [](const ZydisDecodedOperand* operand) { return IsRegister(*operand); });
}

bool IsSegment(const ZydisDecodedOperand& operand) {
  return ClassOf(operand) == ZYDIS_REGCLASS_SEGMENT;
}

void AddVectorSuffix(const Decoded& decoded, TextBuffer& text) {
  if (decoded.memory == nullptr || decoded.is_broadcast()) return;
  const int length = decoded.memory->size;
  const ZydisDecodedOperand& destination = *decoded.shown[0];
  // Only the largest vector fills this destination.
  if (ClassOf(destination) == ZYDIS_REGCLASS_YMM) return;
  text.Add(LengthLetter(length));
}

void AddAttSuffix(const Decoded& decoded, Suffix suffix, TextBuffer& text) {
  switch (suffix) {
    case Suffix::kMemory:
      if (decoded.memory != nullptr && !ShowsRegister(decoded))
        text.Add(SizeLetter(decoded.memory->size));
      break;
    case Suffix::kMemoryAlways:
      if (decoded.memory != nullptr) text.Add(SizeLetter(decoded.memory->size));
      break;
    case Suffix::kConvert:
      if (decoded.memory != nullptr && decoded.long_mode)
        text.Add(SizeLetter(decoded.memory->size));
      break;
    case Suffix::kVectorLength:
      AddVectorSuffix(decoded, text);
      break;
    case Suffix::kMask:
      if (decoded.memory != nullptr && !decoded.is_broadcast())
        text.Add(LengthLetter(decoded.raw.avx.vector_length));
      break;
    default:
      break;
  }
}

// w of instructions that move the stack pointer by an operand size prefix.
void AddStackSuffix(const Decoded& decoded, Suffix suffix, Syntax syntax, TextBuffer& text) {
  if (!decoded.has_data16()) return;
  const bool far = decoded.raw.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
  if (far) return;
  if (suffix == Suffix::kStack16) {
    text.Add('w');
  } else if (suffix == Suffix::kStack16Memory) {
    const bool in_memory = decoded.memory != nullptr;
    const bool segment = decoded.shown_count > 0 && IsSegment(*decoded.shown[0]);
    const bool immediate = decoded.shown_count > 0 &&
                           decoded.shown[0]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                           decoded.raw.opcode != 0xeb;
    if ((in_memory && syntax == Syntax::kAtt) || immediate || segment) text.Add('w');
  }
}

void AddExtend(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const bool zero = decoded.raw.mnemonic == ZYDIS_MNEMONIC_MOVZX;
  text.Add(zero ? "movz" : "movs");
  if (syntax == Syntax::kIntel) {
    text.Add('x');
    return;
  }
  text.Add(SizeLetter(decoded.shown[1]->size));
  text.Add(SizeLetter(decoded.shown[0]->size));
}

// Far calls, jumps and returns.
bool AddFar(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (decoded.raw.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR) return false;
  const bool att = syntax == Syntax::kAtt;
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
      text.Add(att ? "lcall" : "call");
      break;
    case ZYDIS_MNEMONIC_JMP:
      text.Add(att ? "ljmp" : "jmp");
      break;
    case ZYDIS_MNEMONIC_RET:
      text.Add(att ? "lret" : "retf");
      if (decoded.prefixes.rex_w()) text.Add('q');
      break;
    default:
      return false;
  }
  if (decoded.has_data16() && (att || decoded.raw.mnemonic == ZYDIS_MNEMONIC_RET)) text.Add('w');
  return true;
}

// The hint of a conditional jump's segment prefix.
void AddHint(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (syntax == Syntax::kIntel || decoded.prefixes.segment_at < 0 ||
      decoded.raw.meta.category != ZYDIS_CATEGORY_COND_BR)
    return;
  const auto at = static_cast<std::size_t>(decoded.prefixes.segment_at);
  if (decoded.prefixes.bytes[at] == 0x2e) text.Add(",pn");
  if (decoded.prefixes.bytes[at] == 0x3e) text.Add(",pt");
}

// What one instruction alone does; false: nothing special.
bool AddSpecial(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
      if (!decoded.is_exchange_nop()) return false;
      text.Add("xchg");
      return true;
    case ZYDIS_MNEMONIC_MOV:
      // Eight bytes of immediate or address; other forms of mov have at most four.
      if (!att && !decoded.long_mode) return false;
      if (decoded.raw.raw.imm[0].size == 64 || decoded.raw.raw.disp.size == 64) {
        text.Add("movabs");
        return true;
      }
      return false;
    case ZYDIS_MNEMONIC_MOVSXD:
      text.Add(att && decoded.prefixes.rex_w() ? "movslq" : "movsxd");
      return true;
    case ZYDIS_MNEMONIC_SYSRET:
      text.Add("sysret");
      if (decoded.long_mode) text.Add(decoded.prefixes.rex_w() ? 'q' : att ? 'l' : 'd');
      return true;
    case ZYDIS_MNEMONIC_SYSEXIT:
      text.Add("sysexit");
      if (decoded.long_mode) text.Add(decoded.prefixes.rex_w() ? 'q' : att ? 'l' : 'd');
      return true;
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
      text.Add(NameOf(decoded.raw.mnemonic).att);
      if (!decoded.long_mode) text.Add(decoded.has_data16() ? 'w' : att ? 'l' : 'd');
      return true;
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
      text.Add(NameOf(decoded.raw.mnemonic).att);
      if (att && decoded.prefixes.address_at >= 0) text.Add(decoded.long_mode ? 'l' : 'w');
      AddHint(decoded, syntax, text);
      return true;
    case ZYDIS_MNEMONIC_WBINVD:  // with f3, in a Zydis that has no name for it
      text.Add(decoded.prefixes.repz_at >= 0 ? "wbnoinvd" : "wbinvd");
      return true;
    case ZYDIS_MNEMONIC_RET:
      text.Add(decoded.has_data16() ? "retw" : "ret");
      return true;
    case ZYDIS_MNEMONIC_PCMPESTRI:
    case ZYDIS_MNEMONIC_PCMPESTRM:
    case ZYDIS_MNEMONIC_VPCMPESTRI:
    case ZYDIS_MNEMONIC_VPCMPESTRM:
      text.Add(NameOf(decoded.raw.mnemonic).att);
      if (decoded.has_w()) text.Add('q');
      return true;
    default:
      return false;
  }
}

}  // namespace

void AddMnemonic(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  if (decoded.is_x87()) {
    AddX87Mnemonic(decoded, syntax, text);
    return;
  }
  if (NeedsEvexMark(decoded)) text.Add("{evex} ");
  if (NeedsVexMark(decoded)) text.Add("{vex} ");
  if (AddFar(decoded, syntax, text) || AddSpecial(decoded, syntax, text) ||
      AddPredicateMnemonic(decoded, text))
    return;
  if (const StringInstruction* string = FindStringInstruction(decoded); string != nullptr) {
    text.Add(att ? string->att : string->intel);
    return;
  }
  const Name& name = NameOf(decoded.raw.mnemonic);
  if (name.suffix == Suffix::kExtend) {
    AddExtend(decoded, syntax, text);
    return;
  }
  text.Add(att ? name.att : name.intel);
  if (att) AddAttSuffix(decoded, name.suffix, text);
  AddStackSuffix(decoded, name.suffix, syntax, text);
  AddHint(decoded, syntax, text);
}

}  // namespace prof::disasm::x86
