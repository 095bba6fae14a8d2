#include "disasm/x86/prefix_text.h"

#include <algorithm>
#include <array>

#include "disasm/x86/string_instruction.h"

namespace prof::disasm::x86 {
namespace {

constexpr std::array<std::string_view, 16> kRexNames = {
    "rex",   "rex.B",  "rex.X",  "rex.XB",  "rex.R",  "rex.RB",  "rex.RX",  "rex.RXB",
    "rex.W", "rex.WB", "rex.WX", "rex.WXB", "rex.WR", "rex.WRB", "rex.WRX", "rex.WRXB"};

bool Has(const Decoded& decoded, ZydisInstructionAttributes attribute) {
  return (decoded.raw.attributes & attribute) != 0;
}

template <class Predicate>
bool AnyShown(const Decoded& decoded, Predicate predicate) {
  return std::any_of(decoded.shown.begin(), decoded.shown.begin() + decoded.shown_count,
                     [&](const ZydisDecodedOperand* operand) { return predicate(*operand); });
}

bool IsNearBranch(const Decoded& decoded) {
  return decoded.raw.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR ||
         decoded.raw.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT;
}

// Instructions without a 64-bit operand whose REX.W means something.
bool MeaningOfW(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CDQE:
    case ZYDIS_MNEMONIC_CQO:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
    case ZYDIS_MNEMONIC_XSAVES64:
    case ZYDIS_MNEMONIC_XRSTOR64:
    case ZYDIS_MNEMONIC_XRSTORS64:
    case ZYDIS_MNEMONIC_CMPXCHG16B:
    case ZYDIS_MNEMONIC_PCMPESTRI:
    case ZYDIS_MNEMONIC_PCMPESTRM:
      return true;
    case ZYDIS_MNEMONIC_MOV:
      return decoded.raw.opcode == 0x8e && decoded.memory == nullptr;
    case ZYDIS_MNEMONIC_RET:
      return decoded.raw.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
    default:
      break;
  }
  const StringInstruction* string = FindStringInstruction(decoded);
  return string != nullptr && string->bits == 64;
}

// Instructions that are as wide without REX.W in long mode.
bool IsAlwaysWide(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_JMP:
    case ZYDIS_MNEMONIC_BNDCL:
    case ZYDIS_MNEMONIC_BNDCN:
    case ZYDIS_MNEMONIC_BNDCU:
    case ZYDIS_MNEMONIC_BNDMK:
    case ZYDIS_MNEMONIC_ENQCMD:
    case ZYDIS_MNEMONIC_ENQCMDS:
    case ZYDIS_MNEMONIC_INVEPT:
    case ZYDIS_MNEMONIC_INVPCID:
    case ZYDIS_MNEMONIC_INVVPID:
    case ZYDIS_MNEMONIC_MOVDIR64B:
    case ZYDIS_MNEMONIC_CLRSSBSY:
    case ZYDIS_MNEMONIC_RSTORSSP:
    case ZYDIS_MNEMONIC_VMCLEAR:
    case ZYDIS_MNEMONIC_VMPTRLD:
    case ZYDIS_MNEMONIC_VMPTRST:
    case ZYDIS_MNEMONIC_VMREAD:
    case ZYDIS_MNEMONIC_VMWRITE:
    case ZYDIS_MNEMONIC_VMXON:
    case ZYDIS_MNEMONIC_RDPID:
    case ZYDIS_MNEMONIC_UMONITOR:
      return true;
    default:
      return decoded.raw.opcode_map == ZYDIS_OPCODE_MAP_0F && decoded.raw.opcode >= 0x20 &&
             decoded.raw.opcode <= 0x23;
  }
}

bool UsesW(const Decoded& decoded) {
  if (MeaningOfW(decoded)) return true;
  if (IsAlwaysWide(decoded)) return false;
  if (AnyShown(decoded, [](const ZydisDecodedOperand& operand) {
        return ClassOf(operand) == ZYDIS_REGCLASS_GPR64;
      }))
    return true;
  // An integer in memory.
  const bool vectors = AnyShown(decoded, [](const ZydisDecodedOperand& operand) {
    const ZydisRegisterClass group = ClassOf(operand);
    return group == ZYDIS_REGCLASS_XMM || group == ZYDIS_REGCLASS_MMX;
  });
  if (decoded.memory == nullptr || decoded.memory->size != 64 || decoded.is_x87()) return false;
  if (!vectors) return true;
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_MOVQ:
      return (decoded.raw.opcode == 0x6e || decoded.raw.opcode == 0x7e) &&
             decoded.prefixes.repz_at < 0;
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
    case ZYDIS_MNEMONIC_PEXTRQ:
    case ZYDIS_MNEMONIC_PINSRQ:
      return true;
    default:
      return false;
  }
}

// MMX and segment registers have no numbers above 7.
bool HasHighNumbers(const ZydisDecodedOperand& operand) {
  const ZydisRegisterClass group = ClassOf(operand);
  return group != ZYDIS_REGCLASS_MMX && group != ZYDIS_REGCLASS_SEGMENT;
}

bool UsesRex(const Decoded& decoded) {
  const std::uint8_t rex = decoded.prefixes.rex;
  if (!decoded.is_legacy()) return false;
  if (rex == 0x40) {
    return AnyShown(decoded, [](const ZydisDecodedOperand& operand) {
      return IsRegister(operand) && operand.reg.value >= ZYDIS_REGISTER_SPL &&
             operand.reg.value <= ZYDIS_REGISTER_DIL;
    });
  }
  if ((rex & 8U) != 0 && !UsesW(decoded)) return false;
  if ((rex & 4U) != 0 && !AnyShown(decoded, [](const ZydisDecodedOperand& operand) {
        return operand.encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG && HasHighNumbers(operand);
      }))
    return false;
  if ((rex & 2U) != 0 && !decoded.has_sib()) return false;
  return (rex & 1U) == 0 || (decoded.memory != nullptr && decoded.has_modrm()) ||
         AnyShown(decoded, [](const ZydisDecodedOperand& operand) {
           return (operand.encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM &&
                   HasHighNumbers(operand)) ||
                  operand.encoding == ZYDIS_OPERAND_ENCODING_OPCODE;
         });
}

bool IsMandatory(const Decoded& decoded, std::uint8_t byte) {
  const auto& raw = decoded.raw.raw;
  for (int i = 0; i < raw.prefix_count; ++i) {
    if (raw.prefixes[i].value == byte && raw.prefixes[i].type == ZYDIS_PREFIX_TYPE_MANDATORY)
      return true;
  }
  return false;
}

// Instructions that another prefix turns into others.
bool HasPrefixTable(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_MOVBE:
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
      return true;
    default:
      return false;
  }
}

// Instructions without operands that have a 16-bit form.
bool HasSizesByPrefix(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CBW:
    case ZYDIS_MNEMONIC_CWD:
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_LEAVE:
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_PUSHA:
    case ZYDIS_MNEMONIC_POPA:
      return true;
    default:
      return FindStringInstruction(decoded) != nullptr;
  }
}

// Instructions whose operands an operand size prefix leaves as they are.
bool HasFixedSize(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_LLDT:
    case ZYDIS_MNEMONIC_LMSW:
    case ZYDIS_MNEMONIC_LTR:
    case ZYDIS_MNEMONIC_VERR:
    case ZYDIS_MNEMONIC_VERW:
      return true;
    default:
      break;
  }
  if (decoded.memory != nullptr && decoded.raw.opcode_map == ZYDIS_OPCODE_MAP_0F) {
    switch (decoded.raw.opcode) {
      case 0x00:
      case 0x0d:
        return true;
      case 0x01:
        return decoded.raw.mnemonic == ZYDIS_MNEMONIC_SMSW;
      case 0x18:
        return decoded.raw.mnemonic != ZYDIS_MNEMONIC_NOP;
      default:
        return false;
    }
  }
  if (!decoded.is_one_byte_opcode()) return false;
  return decoded.raw.opcode == 0xcd || (decoded.raw.opcode >= 0xd4 && decoded.raw.opcode <= 0xd7) ||
         ((decoded.raw.opcode == 0x8c || decoded.raw.opcode == 0x8e) && decoded.memory != nullptr);
}

// Branches of which the prefix makes 16-bit ones: those with 32 bits of offset, and indirect ones.
bool IsWideBranch(const Decoded& decoded) {
  return decoded.raw.raw.imm[0].size == 16 || decoded.shown_count == 0 ||
         decoded.shown[0]->type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

bool UsesData16(const Decoded& decoded) {
  if (IsMandatory(decoded, 0x66)) return true;
  if (!decoded.has_data16() || !decoded.is_legacy() || decoded.is_x87())
    return HasPrefixTable(decoded);
  if (IsNearBranch(decoded)) return IsWideBranch(decoded);
  if (decoded.is_exchange_nop() || decoded.raw.mnemonic == ZYDIS_MNEMONIC_RET) return true;
  if (decoded.raw.operand_width != 16) return HasPrefixTable(decoded);
  if (decoded.shown_count == 0) return HasSizesByPrefix(decoded);
  return !HasFixedSize(decoded);
}

bool UsesAddress(const Decoded& decoded) {
  if (decoded.memory != nullptr) return decoded.has_modrm() || !decoded.long_mode;
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_XLAT:
      return true;
    default:
      return FindStringInstruction(decoded) != nullptr;
  }
}

bool IsLoop(const Decoded& decoded) {
  return decoded.raw.mnemonic >= ZYDIS_MNEMONIC_LOOP &&
         decoded.raw.mnemonic <= ZYDIS_MNEMONIC_LOOPNE;
}

bool UsesSegment(const Decoded& decoded, std::uint8_t byte, Syntax syntax) {
  const bool is_hint = (byte == 0x2e || byte == 0x3e) && syntax == Syntax::kAtt &&
                       decoded.raw.meta.category == ZYDIS_CATEGORY_COND_BR;
  if (is_hint) return true;
  if (byte == 0x3e && Has(decoded, ZYDIS_ATTRIB_HAS_NOTRACK)) return false;
  // objdump swallows what has no effect on these in long mode.
  if (decoded.raw.mnemonic == ZYDIS_MNEMONIC_XLAT) return true;
  const StringInstruction* string = FindStringInstruction(decoded);
  if (string != nullptr)
    return string->first == StringOperand::kSource || string->second == StringOperand::kSource;
  if (decoded.long_mode && byte != 0x64 && byte != 0x65) return false;
  return decoded.memory != nullptr;
}

// "rep", "bnd" and what else f2 and f3 mean; their plain names otherwise.
std::string_view RepeatName(const Decoded& decoded, std::uint8_t byte) {
  if (byte == 0xf2) {
    if (Has(decoded, ZYDIS_ATTRIB_HAS_XACQUIRE)) return "xacquire";
    const bool counts =
        decoded.raw.opcode >= 0xe0 && decoded.raw.opcode <= 0xe3 && decoded.is_one_byte_opcode();
    if (IsNearBranch(decoded) && !counts && decoded.raw.mnemonic != ZYDIS_MNEMONIC_XBEGIN)
      return "bnd";
    return "repnz";
  }
  if (Has(decoded, ZYDIS_ATTRIB_HAS_XRELEASE)) return "xrelease";
  const StringInstruction* string = FindStringInstruction(decoded);
  return string != nullptr && !string->repeats_while_equal ? "rep" : "repz";
}

bool UsesRepeat(const Decoded& decoded, std::uint8_t byte) {
  if (decoded.raw.mnemonic == ZYDIS_MNEMONIC_WBINVD) return byte == 0xf3;
  return IsMandatory(decoded, byte) && decoded.raw.mnemonic != ZYDIS_MNEMONIC_NOP &&
         FindStringInstruction(decoded) == nullptr;
}

bool IsUsed(const Decoded& decoded, int index, Syntax syntax) {
  const PrefixScan& prefixes = decoded.prefixes;
  const std::uint8_t byte = prefixes.bytes[static_cast<std::size_t>(index)];
  if (index == prefixes.rex_at) return UsesRex(decoded);
  if (index == prefixes.data_at) return UsesData16(decoded);
  if (index == prefixes.address_at)
    return UsesAddress(decoded) || (IsLoop(decoded) && syntax == Syntax::kAtt);
  if (index == prefixes.segment_at) return UsesSegment(decoded, byte, syntax);
  if (index == prefixes.repnz_at || index == prefixes.repz_at) return UsesRepeat(decoded, byte);
  return false;
}

std::string_view NameFor(const Decoded& decoded, int index) {
  const PrefixScan& prefixes = decoded.prefixes;
  const std::uint8_t byte = prefixes.bytes[static_cast<std::size_t>(index)];
  if (index == prefixes.repnz_at || index == prefixes.repz_at) return RepeatName(decoded, byte);
  if (index == prefixes.segment_at && byte == 0x3e && Has(decoded, ZYDIS_ATTRIB_HAS_NOTRACK))
    return "notrack";
  return PrefixName(byte, decoded.long_mode);
}

}  // namespace

std::string_view PrefixName(std::uint8_t byte, bool long_mode) {
  if (long_mode && (byte & 0xf0U) == 0x40) return kRexNames[byte & 0xfU];
  switch (byte) {
    case 0x26:
      return "es";
    case 0x2e:
      return "cs";
    case 0x36:
      return "ss";
    case 0x3e:
      return "ds";
    case 0x64:
      return "fs";
    case 0x65:
      return "gs";
    case 0x66:
      return "data16";
    case 0x67:
      return long_mode ? "addr32" : "addr16";
    case 0xf0:
      return "lock";
    case 0xf2:
      return "repnz";
    case 0xf3:
      return "repz";
    default:
      return {};
  }
}

void AddPrefixes(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  for (int i = 0; i < decoded.prefixes.count; ++i) {
    if (IsUsed(decoded, i, syntax)) continue;
    text.Add(NameFor(decoded, i));
    text.Add(' ');
  }
}

}  // namespace prof::disasm::x86
