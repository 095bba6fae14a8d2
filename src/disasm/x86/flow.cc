#include "disasm/x86/flow.h"

#include <cstdint>

namespace prof::disasm::x86 {
namespace {

Flow FlowOf(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_JMP:
      return Flow::kJump;
    case ZYDIS_MNEMONIC_CALL:
      return Flow::kCall;
    case ZYDIS_MNEMONIC_RET:
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_UIRET:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_RSM:
      return Flow::kReturn;
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
      return Flow::kStop;
    case ZYDIS_MNEMONIC_XBEGIN:  // goes there when the transaction aborts
      return Flow::kConditionalJump;
    default:
      return decoded.raw.meta.category == ZYDIS_CATEGORY_COND_BR ? Flow::kConditionalJump
                                                                 : Flow::kNext;
  }
}

}  // namespace

void SetFlow(const Decoded& decoded, Instruction& result) {
  result.flow = FlowOf(decoded);
  if (decoded.shown_count == 1 && decoded.shown[0]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
      decoded.shown[0]->imm.is_relative) {
    result.target =
        model::FileAddr{decoded.WrappedTarget(decoded.end() + decoded.shown[0]->imm.value.u)};
  }
  if (decoded.memory == nullptr) return;
  const ZydisRegister base = decoded.memory->mem.base;
  if (base != ZYDIS_REGISTER_RIP && base != ZYDIS_REGISTER_EIP) return;
  std::uint64_t referred =
      decoded.end() + static_cast<std::uint64_t>(decoded.memory->mem.disp.value);
  if (base == ZYDIS_REGISTER_EIP) referred &= 0xffffffff;
  result.referred = model::FileAddr{referred};
}

}  // namespace prof::disasm::x86
