// x86-64 registers by DWARF number (System V ABI, figure 3.36).
#pragma once

#include <cstdint>

namespace prof::unwind::walk {

inline constexpr std::uint64_t kRbp = 6;
inline constexpr std::uint64_t kRsp = 7;
inline constexpr std::uint64_t kRip = 16;

// Whether calls may change the register: all but rbx, rbp, rsp and r12-r15 (figure 3.4).
constexpr bool IsScratch(std::uint64_t number) {
  constexpr std::uint64_t kScratch = 0b0000'1111'0011'0111;
  return number < kRip && (kScratch >> number & 1) != 0;
}

}  // namespace prof::unwind::walk
