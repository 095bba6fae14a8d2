// The sizes of Intel's syntax in front of memory operands.
#include <string_view>

#include "disasm/x86/operand_text.h"

namespace prof::disasm::x86 {
namespace {

// Where registers are saved to.
bool IsStateArea(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XSAVEOPT:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
    case ZYDIS_MNEMONIC_XSAVES:
    case ZYDIS_MNEMONIC_XSAVES64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64:
    case ZYDIS_MNEMONIC_XRSTORS:
    case ZYDIS_MNEMONIC_XRSTORS64:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FNSAVE:
      return true;
    default:
      return false;
  }
}

// Other memory that is a structure of its own, or none at all.
bool HasNoSize(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_BNDLDX:
    case ZYDIS_MNEMONIC_BNDSTX:
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_TILELOADD:
    case ZYDIS_MNEMONIC_TILELOADDT1:
    case ZYDIS_MNEMONIC_TILESTORED:
    case ZYDIS_MNEMONIC_ENQCMD:
    case ZYDIS_MNEMONIC_ENQCMDS:
    case ZYDIS_MNEMONIC_MOVDIR64B:
    case ZYDIS_MNEMONIC_INVPCID:
    case ZYDIS_MNEMONIC_BNDMOV:
    case ZYDIS_MNEMONIC_BNDCL:
    case ZYDIS_MNEMONIC_BNDCN:
    case ZYDIS_MNEMONIC_BNDCU:
    case ZYDIS_MNEMONIC_BNDMK:
    case ZYDIS_MNEMONIC_WRSSD:
    case ZYDIS_MNEMONIC_WRSSQ:
    case ZYDIS_MNEMONIC_WRUSSD:
    case ZYDIS_MNEMONIC_WRUSSQ:
    case ZYDIS_MNEMONIC_AESDEC128KL:
    case ZYDIS_MNEMONIC_AESDEC256KL:
    case ZYDIS_MNEMONIC_AESENC128KL:
    case ZYDIS_MNEMONIC_AESENC256KL:
    case ZYDIS_MNEMONIC_AESDECWIDE128KL:
    case ZYDIS_MNEMONIC_AESDECWIDE256KL:
    case ZYDIS_MNEMONIC_AESENCWIDE128KL:
    case ZYDIS_MNEMONIC_AESENCWIDE256KL:
    case ZYDIS_MNEMONIC_LDDQU:
    case ZYDIS_MNEMONIC_VLDDQU:
    case ZYDIS_MNEMONIC_LDTILECFG:
    case ZYDIS_MNEMONIC_STTILECFG:
      return true;
    default:
      return false;
  }
}

bool IsOctaword(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CMPXCHG16B:
    case ZYDIS_MNEMONIC_INVEPT:
    case ZYDIS_MNEMONIC_INVVPID:
      return true;
    default:
      return false;
  }
}

// Any byte of it names the line.
bool IsCacheLine(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
      return true;
    default:
      return false;
  }
}

// Pointers with a segment.
bool IsFarPointer(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_LDS:
    case ZYDIS_MNEMONIC_LES:
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_LSS:
      return true;
    default:
      break;
  }
  return decoded.raw.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

}  // namespace

std::string_view PointerSize(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  if (decoded.is_broadcast()) {
    if (operand.element_size == 16) return "WORD BCST ";
    return operand.element_size == 32 ? "DWORD BCST " : "QWORD BCST ";
  }
  if (HasNoSize(decoded) || IsStateArea(decoded)) return {};
  if (operand.encoding >= ZYDIS_OPERAND_ENCODING_DISP8 &&
      operand.encoding <= ZYDIS_OPERAND_ENCODING_DISP16_32_32)
    return {};  // mov between the accumulator and an address
  if (IsFarPointer(decoded)) return decoded.has_data16() ? "DWORD PTR " : "FWORD PTR ";
  if (IsOctaword(decoded)) return "OWORD PTR ";
  if (IsCacheLine(decoded)) return "BYTE PTR ";
  int size = operand.size;
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) size = operand.element_size;
  switch (size) {
    case 8:
      return "BYTE PTR ";
    case 16:
      return "WORD PTR ";
    case 32:
      return "DWORD PTR ";
    case 48:
      return "FWORD PTR ";
    case 64:
      return "QWORD PTR ";
    case 80:
      return "TBYTE PTR ";
    case 128:
      return "XMMWORD PTR ";
    case 256:
      return "YMMWORD PTR ";
    case 512:
      return "ZMMWORD PTR ";
    default:
      return {};
  }
}

}  // namespace prof::disasm::x86
