// movs, stos and their like: the instructions whose operands are %rsi, %rdi and the accumulator.
#pragma once

#include <cstdint>
#include <string_view>

#include "disasm/x86/decoded.h"

namespace prof::disasm::x86 {

enum class StringOperand : std::uint8_t { kSource, kDestination, kAccumulator, kPort };

struct StringInstruction {
  ZydisMnemonic mnemonic;
  std::string_view att;
  std::string_view intel;
  int bits;
  StringOperand first;  // in Intel's order
  StringOperand second;
  bool repeats_while_equal;  // f3 is "repz", not "rep"
};

// Null: it is none.
const StringInstruction* FindStringInstruction(const Decoded& decoded);

}  // namespace prof::disasm::x86
