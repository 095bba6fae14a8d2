// One x86 instruction as Zydis decodes it, with what objdump's spelling needs beyond that.
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "disasm/x86/prefix_scan.h"
#include "disasm/x86/register_table.h"

namespace prof::disasm::x86 {

struct Decoded {
  ZydisDecodedInstruction raw;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
  PrefixScan prefixes;
  std::uint64_t address = 0;
  std::uint8_t length = 0;  // with an absorbed fwait, which `raw` does not see
  bool long_mode = true;
  // The operands that are printed, in Intel's order, without masks; and the one in memory.
  std::array<const ZydisDecodedOperand*, ZYDIS_MAX_OPERAND_COUNT> shown;
  std::uint8_t shown_count = 0;
  const ZydisDecodedOperand* memory = nullptr;
  std::string_view segment_name;  // of a segment register that Zydis does not have

  [[nodiscard]] std::uint64_t end() const { return address + length; }
  // What is left of the target of a relative branch.
  [[nodiscard]] std::uint64_t WrappedTarget(std::uint64_t target) const {
    if (raw.raw.imm[0].size == 16) return target & 0xffff;
    return long_mode ? target : target & 0xffffffff;
  }
  [[nodiscard]] bool is_legacy() const {
    return raw.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
           raw.encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW;
  }
  [[nodiscard]] bool is_evex() const { return raw.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX; }
  [[nodiscard]] bool has_modrm() const { return (raw.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0; }
  [[nodiscard]] bool has_sib() const { return (raw.attributes & ZYDIS_ATTRIB_HAS_SIB) != 0; }
  // REX.W or its like in the VEX prefix.
  [[nodiscard]] bool has_w() const {
    return raw.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ? raw.raw.vex.W != 0 : prefixes.rex_w();
  }
  // 66 is there and not overruled by REX.W.
  [[nodiscard]] bool has_data16() const { return prefixes.data_at >= 0 && !prefixes.rex_w(); }
  // {1toN}
  [[nodiscard]] bool is_broadcast() const {
    return is_evex() && memory != nullptr && raw.raw.evex.b != 0;
  }
  [[nodiscard]] bool is_one_byte_opcode() const {
    return is_legacy() && raw.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
  }
  [[nodiscard]] bool is_shift_by_one() const {
    return is_one_byte_opcode() && (raw.opcode & 0xfeU) == 0xd0;
  }
  // 66 90, which objdump reads as the exchange that it once was.
  [[nodiscard]] bool is_exchange_nop() const {
    return is_one_byte_opcode() && raw.opcode == 0x90 && raw.mnemonic == ZYDIS_MNEMONIC_NOP &&
           has_data16();
  }
  [[nodiscard]] bool is_x87() const { return is_one_byte_opcode() && (raw.opcode & 0xf8U) == 0xd8; }
};

inline bool IsRegister(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
}

inline ZydisRegisterClass ClassOf(const ZydisDecodedOperand& operand) {
  return IsRegister(operand) ? FactsOf(operand.reg.value).group : ZYDIS_REGCLASS_INVALID;
}

inline bool IsGeneralRegister(const ZydisDecodedOperand& operand) {
  const ZydisRegisterClass group = ClassOf(operand);
  return group >= ZYDIS_REGCLASS_GPR8 && group <= ZYDIS_REGCLASS_GPR64;
}

}  // namespace prof::disasm::x86
