#include "disasm/x86/operand_text.h"

#include <cstdint>
#include <string_view>

namespace prof::disasm::x86 {
namespace {

std::uint64_t Masked(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

void AddTarget(const Decoded& decoded, const ZydisDecodedOperand& operand, TextBuffer& text) {
  const std::uint64_t target = decoded.end() + operand.imm.value.u;
  text.AddHex(decoded.WrappedTarget(target));
}

// Signed ones are as wide as the operation.
void AddImmediate(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
                  TextBuffer& text) {
  if (operand.imm.is_relative) {
    AddTarget(decoded, operand, text);
    return;
  }
  if (decoded.is_shift_by_one()) {
    text.Add('1');
    return;
  }
  if (syntax == Syntax::kAtt) text.Add('$');
  std::uint64_t value = operand.imm.value.u;
  if (operand.imm.is_signed) {
    int bits = decoded.raw.operand_width;
    if (decoded.raw.mnemonic == ZYDIS_MNEMONIC_PUSH)
      bits = decoded.has_data16() ? 16 : decoded.raw.stack_width;
    value = Masked(value, bits);
  }
  text.AddHexNumber(value);
}

void AddFarPointer(const ZydisDecodedOperand& operand, Syntax syntax, TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  text.Add(att ? "$0x" : "0x");
  text.AddHex(operand.ptr.segment);
  text.Add(att ? ",$0x" : ":0x");
  text.AddHex(operand.ptr.offset);
}

bool IsIndirectBranch(const Decoded& decoded) {
  return decoded.raw.mnemonic == ZYDIS_MNEMONIC_CALL || decoded.raw.mnemonic == ZYDIS_MNEMONIC_JMP;
}

// The source of a segment register is spelled as wide as the operation.
ZydisRegister ShownRegister(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  const bool to_segment = decoded.is_one_byte_opcode() && decoded.raw.opcode == 0x8e;
  if (!to_segment || ClassOf(operand) != ZYDIS_REGCLASS_GPR16 || decoded.has_data16())
    return operand.reg.value;
  const ZydisRegister first = decoded.prefixes.rex_w() ? ZYDIS_REGISTER_RAX : ZYDIS_REGISTER_EAX;
  return static_cast<ZydisRegister>(first + (operand.reg.value - ZYDIS_REGISTER_AX));
}

void AddOperand(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
                TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  switch (operand.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
      if (att && IsIndirectBranch(decoded)) text.Add('*');
      if (!decoded.segment_name.empty() && ClassOf(operand) == ZYDIS_REGCLASS_SEGMENT) {
        if (att) text.Add('%');
        text.Add(decoded.segment_name);
      } else {
        AddRegister(ShownRegister(decoded, operand), syntax, text);
      }
      break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
      if (att && IsIndirectBranch(decoded)) text.Add('*');
      AddMemory(decoded, operand, syntax, text);
      break;
    case ZYDIS_OPERAND_TYPE_POINTER:
      AddFarPointer(operand, syntax, text);
      break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      AddImmediate(decoded, operand, syntax, text);
      break;
    default:
      break;
  }
}

void AddBroadcast(const Decoded& decoded, TextBuffer& text) {
  const int count = BroadcastCount(decoded.raw.avx.broadcast.mode);
  text.Add("{1to");
  if (count >= 10) text.Add(static_cast<char>('0' + count / 10));
  text.Add(static_cast<char>('0' + count % 10));
  text.Add('}');
}

// Whether only "{1toN}" tells how many elements the source has: the destination is narrower and the
// same for two lengths.
bool NeedsIntelBroadcast(const Decoded& decoded) {
  const ZydisDecodedOperand& first = *decoded.shown[0];
  if (ClassOf(first) == ZYDIS_REGCLASS_MASK)
    return decoded.shown_count == 3 - 0 && decoded.shown[1]->type == ZYDIS_OPERAND_TYPE_MEMORY;
  return decoded.shown_count == 2 && ClassOf(first) == ZYDIS_REGCLASS_XMM &&
         first.size < decoded.raw.avx.vector_length;
}

// {%k1}{z}
void AddMask(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (!decoded.is_evex()) return;
  const auto& evex = decoded.raw.raw.evex;
  if (evex.aaa != 0) {
    text.Add('{');
    AddRegister(static_cast<ZydisRegister>(ZYDIS_REGISTER_K0 + evex.aaa), syntax, text);
    text.Add('}');
  }
  if (evex.z != 0) text.Add("{z}");
}

std::string_view RoundingText(const Decoded& decoded) {
  if (!decoded.is_evex()) return {};
  switch (decoded.raw.avx.rounding.mode) {
    case ZYDIS_ROUNDING_MODE_RN:
      return decoded.raw.avx.has_sae ? "{rn-sae}" : "{rn}";
    case ZYDIS_ROUNDING_MODE_RD:
      return "{rd-sae}";
    case ZYDIS_ROUNDING_MODE_RU:
      return "{ru-sae}";
    case ZYDIS_ROUNDING_MODE_RZ:
      return "{rz-sae}";
    default:
      return decoded.raw.avx.has_sae ? "{sae}" : std::string_view();
  }
}

// The last operand that is not an immediate: rounding is said behind it.
int LastVectorOperand(const Decoded& decoded) {
  int last = decoded.shown_count - 1;
  while (last > 0 &&
         decoded.shown[static_cast<std::size_t>(last)]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
    --last;
  return last;
}

// Instructions whose operands AT&T has in Intel's order.
bool KeepsOrder(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_ENTER:
    case ZYDIS_MNEMONIC_BOUND:
      return true;
    default:
      return false;
  }
}

void AddDecorated(const Decoded& decoded, int index, Syntax syntax, TextBuffer& text) {
  const ZydisDecodedOperand& operand = *decoded.shown[static_cast<std::size_t>(index)];
  AddOperand(decoded, operand, syntax, text);
  if (&operand == decoded.memory && decoded.is_broadcast() &&
      (syntax == Syntax::kAtt || NeedsIntelBroadcast(decoded)))
    AddBroadcast(decoded, text);
  if (index == 0) AddMask(decoded, syntax, text);
}

}  // namespace

int BroadcastCount(ZydisBroadcastMode mode) {
  switch (mode) {
    case ZYDIS_BROADCAST_MODE_1_TO_2:
      return 2;
    case ZYDIS_BROADCAST_MODE_1_TO_4:
      return 4;
    case ZYDIS_BROADCAST_MODE_1_TO_8:
      return 8;
    case ZYDIS_BROADCAST_MODE_1_TO_16:
      return 16;
    case ZYDIS_BROADCAST_MODE_1_TO_32:
      return 32;
    default:
      return 0;
  }
}

void AddRegister(ZydisRegister value, Syntax syntax, TextBuffer& text) {
  const bool att = syntax == Syntax::kAtt;
  if (att) text.Add('%');
  if (att && value >= ZYDIS_REGISTER_DR0 && value <= ZYDIS_REGISTER_DR15) {
    const int number = value - ZYDIS_REGISTER_DR0;
    text.Add("db");
    if (number >= 10) text.Add('1');
    text.Add(static_cast<char>('0' + number % 10));
    return;
  }
  text.Add(FactsOf(value).name);
}

void AddOperands(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  if (AddFixedOperands(decoded, syntax, text)) return;
  const bool reversed = syntax == Syntax::kAtt && !KeepsOrder(decoded);
  const std::string_view rounding = RoundingText(decoded);
  const int rounding_at = rounding.empty() ? -1 : LastVectorOperand(decoded);
  for (int i = 0; i < decoded.shown_count; ++i) {
    const int index = reversed ? decoded.shown_count - 1 - i : i;
    if (i > 0) text.Add(',');
    // AT&T has integers that are converted in front of the rounding.
    const bool integer_source =
        index > 0 && IsGeneralRegister(*decoded.shown[static_cast<std::size_t>(index)]);
    if (index == rounding_at && syntax == Syntax::kAtt && !integer_source) {
      text.Add(rounding);
      text.Add(',');
    }
    AddDecorated(decoded, index, syntax, text);
    if (index != rounding_at) continue;
    if (syntax == Syntax::kIntel) {
      text.Add(rounding);
    } else if (integer_source) {
      text.Add(',');
      text.Add(rounding);
    }
  }
}

}  // namespace prof::disasm::x86
