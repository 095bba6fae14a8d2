#include "disasm/x86/string_instruction.h"

#include <algorithm>
#include <array>

namespace prof::disasm::x86 {
namespace {

using enum StringOperand;

constexpr std::array kStrings = {
    StringInstruction{ZYDIS_MNEMONIC_CMPSB, "cmpsb", "cmps", 8, kSource, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_CMPSW, "cmpsw", "cmps", 16, kSource, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_CMPSD, "cmpsl", "cmps", 32, kSource, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_CMPSQ, "cmpsq", "cmps", 64, kSource, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_INSB, "insb", "ins", 8, kDestination, kPort, false},
    StringInstruction{ZYDIS_MNEMONIC_INSW, "insw", "ins", 16, kDestination, kPort, false},
    StringInstruction{ZYDIS_MNEMONIC_INSD, "insl", "ins", 32, kDestination, kPort, false},
    StringInstruction{ZYDIS_MNEMONIC_LODSB, "lods", "lods", 8, kAccumulator, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_LODSW, "lods", "lods", 16, kAccumulator, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_LODSD, "lods", "lods", 32, kAccumulator, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_LODSQ, "lods", "lods", 64, kAccumulator, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_MOVSB, "movsb", "movs", 8, kDestination, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_MOVSW, "movsw", "movs", 16, kDestination, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_MOVSD, "movsl", "movs", 32, kDestination, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_MOVSQ, "movsq", "movs", 64, kDestination, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_OUTSB, "outsb", "outs", 8, kPort, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_OUTSW, "outsw", "outs", 16, kPort, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_OUTSD, "outsl", "outs", 32, kPort, kSource, false},
    StringInstruction{ZYDIS_MNEMONIC_SCASB, "scas", "scas", 8, kAccumulator, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_SCASW, "scas", "scas", 16, kAccumulator, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_SCASD, "scas", "scas", 32, kAccumulator, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_SCASQ, "scas", "scas", 64, kAccumulator, kDestination, true},
    StringInstruction{ZYDIS_MNEMONIC_STOSB, "stos", "stos", 8, kDestination, kAccumulator, false},
    StringInstruction{ZYDIS_MNEMONIC_STOSW, "stos", "stos", 16, kDestination, kAccumulator, false},
    StringInstruction{ZYDIS_MNEMONIC_STOSD, "stos", "stos", 32, kDestination, kAccumulator, false},
    StringInstruction{ZYDIS_MNEMONIC_STOSQ, "stos", "stos", 64, kDestination, kAccumulator, false},
};

}  // namespace

const StringInstruction* FindStringInstruction(const Decoded& decoded) {
  // movsd and cmpsd are also SSE's.
  if (!decoded.is_legacy() || decoded.raw.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT) return nullptr;
  const std::uint8_t opcode = decoded.raw.opcode;
  const bool is_string = (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
                         (opcode >= 0x6c && opcode <= 0x6f);
  if (!is_string) return nullptr;
  const auto* const found =
      std::ranges::find(kStrings, decoded.raw.mnemonic, &StringInstruction::mnemonic);
  return found == kStrings.end() ? nullptr : found;
}

}  // namespace prof::disasm::x86
