// Operands that come with the opcode.
#include <cstdint>
#include <string_view>

#include "disasm/x86/operand_text.h"
#include "disasm/x86/string_instruction.h"

namespace prof::disasm::x86 {
namespace {

void AddName(std::string_view name, Syntax syntax, TextBuffer& text) {
  if (syntax == Syntax::kAtt) text.Add('%');
  text.Add(name);
}

std::string_view Pick(int width, std::string_view w16, std::string_view w32, std::string_view w64) {
  if (width == 64) return w64;
  return width == 32 ? w32 : w16;
}

std::string_view SizeWord(int bits) {
  if (bits == 8) return "BYTE PTR ";
  return Pick(bits, "WORD PTR ", "DWORD PTR ", "QWORD PTR ");
}

// "%es:(%rdi)", "QWORD PTR es:[rdi]"
void AddStringMemory(const Decoded& decoded, bool is_source, int bits, Syntax syntax,
                     TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  if (!att) text.Add(SizeWord(bits));
  const std::size_t before = text.size();
  if (is_source) AddSegmentOverride(decoded, syntax, text);
  if (text.size() == before) {
    AddName(is_source ? "ds" : "es", syntax, text);
    text.Add(':');
  }
  text.Add(att ? '(' : '[');
  const int width = decoded.raw.address_width;
  AddName(is_source ? Pick(width, "si", "esi", "rsi") : Pick(width, "di", "edi", "rdi"), syntax,
          text);
  text.Add(att ? ')' : ']');
}

void AddStringOperand(const Decoded& decoded, StringOperand operand, int bits, Syntax syntax,
                      TextBuffer& text) {
  switch (operand) {
    case StringOperand::kSource:
    case StringOperand::kDestination:
      AddStringMemory(decoded, operand == StringOperand::kSource, bits, syntax, text);
      break;
    case StringOperand::kAccumulator:
      AddName(bits == 8 ? "al" : Pick(bits, "ax", "eax", "rax"), syntax, text);
      break;
    case StringOperand::kPort:
      text.Add(syntax == Syntax::kAtt ? "(%dx)" : "dx");
      break;
  }
}

void AddStringOperands(const Decoded& decoded, const StringInstruction& string, Syntax syntax,
                       TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  AddStringOperand(decoded, att ? string.second : string.first, string.bits, syntax, text);
  text.Add(',');
  AddStringOperand(decoded, att ? string.first : string.second, string.bits, syntax, text);
}

void AddX87Register(int number, Syntax syntax, TextBuffer& text) {
  AddName("st(", syntax, text);
  text.Add(static_cast<char>('0' + number));
  text.Add(')');
}

// Forms without memory; the opcode byte and the ModRM byte are the instruction.
void AddX87Registers(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const int opcode = decoded.raw.opcode;
  const int reg = decoded.raw.raw.modrm.reg;
  const int number = decoded.raw.raw.modrm.rm;
  if (opcode == 0xdf && reg == 4) {
    AddName("ax", syntax, text);
    return;
  }
  const bool alone = (opcode == 0xd9 && reg >= 2) || (opcode == 0xdb && reg == 4) ||
                     (opcode == 0xda && reg == 5) || (opcode == 0xde && reg == 3);
  if (alone) return;
  const bool single = (opcode == 0xd8 && (reg == 2 || reg == 3)) || opcode == 0xd9 ||
                      opcode == 0xdd || (opcode == 0xdf && reg < 4);
  if (single) {
    AddX87Register(number, syntax, text);
    return;
  }
  const bool to_number = opcode == 0xdc || opcode == 0xde;
  if (to_number == (syntax == Syntax::kIntel)) {
    AddX87Register(number, syntax, text);
    text.Add(',');
    AddName("st", syntax, text);
  } else {
    AddName("st", syntax, text);
    text.Add(',');
    AddX87Register(number, syntax, text);
  }
}

void AddPort(const ZydisDecodedOperand& operand, Syntax syntax, TextBuffer& text) {
  if (IsRegister(operand) && operand.reg.value == ZYDIS_REGISTER_DX && syntax == Syntax::kAtt) {
    text.Add("(%dx)");
  } else if (IsRegister(operand)) {
    AddRegister(operand.reg.value, syntax, text);
  } else {
    if (syntax == Syntax::kAtt) text.Add('$');
    text.AddHexNumber(operand.imm.value.u & 0xffU);
  }
}

void AddPortOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  AddPort(*decoded.shown[att ? 1 : 0], syntax, text);
  text.Add(',');
  AddPort(*decoded.shown[att ? 0 : 1], syntax, text);
}

// AT&T alone names the registers that these read.
void AddMonitorOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (syntax == Syntax::kIntel) return;
  text.Add('%');
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_MWAIT:
      text.Add("eax,%ecx");
      return;
    case ZYDIS_MNEMONIC_MWAITX:
      text.Add("eax,%ecx,%ebx");
      return;
    default:
      text.Add(Pick(decoded.raw.address_width, "ax", "eax", "rax"));
      text.Add(",%ecx,%edx");
  }
}

}  // namespace

bool AddFixedOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (decoded.is_x87() && decoded.memory == nullptr) {
    AddX87Registers(decoded, syntax, text);
    return true;
  }
  if (decoded.is_exchange_nop()) {
    text.Add(syntax == Syntax::kAtt ? "%ax,%ax" : "ax,ax");
    return true;
  }
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_MWAIT:
    case ZYDIS_MNEMONIC_MWAITX:
      AddMonitorOperands(decoded, syntax, text);
      return true;
    case ZYDIS_MNEMONIC_VMRUN:
    case ZYDIS_MNEMONIC_VMLOAD:
    case ZYDIS_MNEMONIC_VMSAVE:
    case ZYDIS_MNEMONIC_INVLPGA:
    case ZYDIS_MNEMONIC_CLZERO:
    case ZYDIS_MNEMONIC_INVLPGB:
    case ZYDIS_MNEMONIC_SKINIT:
      return true;
    case ZYDIS_MNEMONIC_IN:
    case ZYDIS_MNEMONIC_OUT:
      AddPortOperands(decoded, syntax, text);
      return true;
    case ZYDIS_MNEMONIC_XLAT: {
      if (syntax == Syntax::kIntel) text.Add("BYTE PTR ");
      const std::size_t before = text.size();
      AddSegmentOverride(decoded, syntax, text);
      if (text.size() == before) {
        AddName("ds", syntax, text);
        text.Add(':');
      }
      text.Add(syntax == Syntax::kAtt ? '(' : '[');
      AddName(Pick(decoded.raw.address_width, "bx", "ebx", "rbx"), syntax, text);
      text.Add(syntax == Syntax::kAtt ? ')' : ']');
      return true;
    }
    default:
      break;
  }
  const StringInstruction* string = FindStringInstruction(decoded);
  if (string == nullptr) return false;
  AddStringOperands(decoded, *string, syntax, text);
  return true;
}

}  // namespace prof::disasm::x86
