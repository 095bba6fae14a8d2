// What the walk has to know about the registers of each architecture, by DWARF number.
#pragma once

#include <cstdint>

#include "prof/unwind/arch.h"

namespace prof::unwind::walk {

// System V ABI for AMD64, figures 3.4 and 3.36.
struct X86_64 {
  static constexpr Arch kArch = Arch::kX86_64;
  static constexpr std::uint64_t kFp = 6;  // rbp
  static constexpr std::uint64_t kSp = 7;
  static constexpr std::uint64_t kPc = 16;  // the column of the return address as well
  static constexpr std::uint64_t kReturnColumn = 16;
  static constexpr std::uint64_t kCount = 17;
  // Whether a call puts its return address into kReturnColumn, and the function saves it where it
  // likes. Here it pushes it.
  static constexpr bool kHasLink = false;
  // What save slots are counted in, see Rule.
  static constexpr std::int64_t kSlotUnit = 1;

  // Whether calls may change the register: all but rbx, rbp, rsp and r12-r15.
  static constexpr bool IsScratch(std::uint64_t number) {
    constexpr std::uint64_t kScratch = 0b0000'1111'0011'0111;
    return number < kPc && (kScratch >> number & 1) != 0;
  }
};

// DWARF for the Arm 64-bit Architecture (aadwarf64), 4.1; AAPCS64, 6.1.1.
struct Aarch64 {
  static constexpr Arch kArch = Arch::kAarch64;
  static constexpr std::uint64_t kFp = 29;
  static constexpr std::uint64_t kReturnColumn = 30;  // x30, the link register
  static constexpr std::uint64_t kSp = 31;
  static constexpr std::uint64_t kPc = 32;
  static constexpr std::uint64_t kCount = 33;
  static constexpr bool kHasLink = true;
  // GCC saves x29 and x30 below the locals, so further from the CFA than 16 bits of bytes reach.
  static constexpr std::int64_t kSlotUnit = 8;

  // x0-x18. The link register is not preserved either, but every call gives it a value of its own.
  static constexpr bool IsScratch(std::uint64_t number) { return number <= 18; }
};

}  // namespace prof::unwind::walk
