// What objdump calls an instruction where Zydis has another name, and how AT&T's suffix comes
// about.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>
#include <string_view>

namespace prof::disasm::x86 {

enum class Suffix : std::uint8_t {
  kNone,
  kMemory,         // the size of a memory operand, when no register tells it
  kMemoryAlways,   // the same, whatever the registers
  kConvert,        // l or q of an integer in memory, in long mode
  kVectorLength,   // x, y or z of a vector in memory that is narrowed into one register class
  kMask,           // the same where the destination is a mask
  kStack16,        // w with an operand size prefix
  kStack16Memory,  // the same of a memory operand or immediate, which Intel's syntax sizes itself
  kExtend,         // source and destination: movzbl
};

struct Name {
  std::string_view att;
  std::string_view intel;
  Suffix suffix = Suffix::kNone;
};

const Name& NameOf(ZydisMnemonic mnemonic);

}  // namespace prof::disasm::x86
