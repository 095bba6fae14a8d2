#include "disasm/x86/invalid.h"

namespace prof::disasm::x86 {
namespace {

std::uint8_t Second(std::span<const std::uint8_t> opcode) {
  return opcode.size() > 1 ? opcode[1] : 0;
}

int Reg(std::uint8_t modrm) { return modrm >> 3U & 7U; }

}  // namespace

bool IsVectorEncoding(std::uint8_t opcode) {
  return opcode == 0x62 || opcode == 0xc4 || opcode == 0xc5 || opcode == 0x8f;
}

std::size_t InvalidLength(std::span<const std::uint8_t> opcode) {
  const std::uint8_t second = Second(opcode);
  switch (opcode[0]) {
    case 0x0f:
      return second == 0x38 || second == 0x3a ? 3 : 2;
    case 0xc5:
      return 3;
    case 0xc4: {
      const int map = second & 0x1fU;
      return map >= 1 && map <= 3 ? 4 : 1;
    }
    case 0x8f: {
      const int map = second & 0x1fU;
      return map >= 8 && map <= 10 ? 4 : 1;
    }
    case 0x62: {
      const int map = second & 7U;
      const bool exists = (map >= 1 && map <= 3) || map == 5 || map == 6;
      if (!exists || (second & 8U) != 0) return 1;
      const bool has_fixed_bit = opcode.size() > 2 && (opcode[2] & 4U) != 0;
      return has_fixed_bit ? 5 : 2;
    }
    default:
      return (opcode[0] & 0xf8U) == 0xd8 ? 2 : 1;
  }
}

bool IsX87Alias(std::uint8_t opcode, std::uint8_t modrm) {
  if (modrm < 0xc0) return false;
  const int reg = Reg(modrm);
  switch (opcode) {
    case 0xd9:
      return reg == 3;  // fstpnce
    case 0xdc:
      return reg == 2 || reg == 3;  // fcom, fcomp
    case 0xdd:
      return reg == 1;  // fxch
    case 0xde:
      return reg == 2;  // fcomp
    case 0xdf:
      return reg >= 1 && reg <= 3;  // fxch, fstp
    default:
      return false;
  }
}

ShownInvalid WhatShows(std::span<const std::uint8_t> opcode) {
  if (opcode.size() < 2) return ShownInvalid::kNo;
  if ((opcode[0] & 0xf8U) == 0xd8 && opcode[1] < 0xc0) return ShownInvalid::kX87Memory;
  if (opcode[0] == 0x8c || opcode[0] == 0x8e) return ShownInvalid::kSegment;
  return ShownInvalid::kNo;
}

}  // namespace prof::disasm::x86
