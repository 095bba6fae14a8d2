// How to get from one frame to its caller, in the forms that real code uses.
#pragma once

#include <cstdint>

namespace prof::unwind::walk {

// Of 20 million rows in the 1,549 ELF files of a Debian x86-64 system these forms are all but 28.
// "sp" is rsp or sp, "fp" rbp or x29.
enum class CfaForm : std::uint8_t {
  kNone,      // no unwind information for this address
  kSp,        // CFA = sp + offset
  kFp,        // CFA = fp + offset
  kPlt,       // x86-64: CFA = rsp + offset, 8 more from byte `addend` of the 16-byte entry on
  kDerefSp,   // CFA = *(sp + offset) + addend
  kDerefFp,   // CFA = *(fp + offset) + addend: realigned stacks
  kRegister,  // CFA = another register + offset: only where all registers are known
  kSignal,    // the registers are in the frame that the kernel made at sp for a signal handler
  kEnd,       // the return address is undefined: nobody called this code
  kSlow,      // anything else: libunwind's to evaluate
};

enum class FpForm : std::uint8_t {
  kSame,     // fp is still the caller's
  kAtCfa,    // saved at CFA + fp_offset
  kAtFp,     // saved at fp + fp_offset: realigned stacks
  kUnknown,  // lost
};

// The return address is at CFA + return_offset; on x86-64 always at CFA - 8.
inline constexpr std::uint8_t kOnStack = 0xff;

// Offsets in bytes, but those of the two save slots in the architecture's kSlotUnit. 16 bytes, so
// that a slot of the rule cache is half a cache line.
struct Rule {
  std::int32_t offset = 0;
  std::int16_t fp_offset = 0;
  std::int16_t addend = 0;
  std::int16_t return_offset = 0;  // 0 on x86-64
  CfaForm cfa = CfaForm::kNone;
  FpForm fp = FpForm::kSame;
  std::uint8_t cfa_register = 0;            // DWARF number, for kRegister
  std::uint8_t return_register = kOnStack;  // DWARF number, or kOnStack
  // Some register that calls do not preserve has a rule of its own. Usually none has, and the
  // values of frame 0 stand for its callers too, as hand-written code relies on.
  bool scratch_changes = false;

  // Whether sp, fp and the stack are all that it takes.
  [[nodiscard]] bool IsOrdinary() const {
    return (cfa == CfaForm::kSp || cfa == CfaForm::kFp) && return_register == kOnStack &&
           (fp == FpForm::kSame || fp == FpForm::kAtCfa);
  }
  friend bool operator==(const Rule&, const Rule&) = default;
};
static_assert(sizeof(Rule) == 16);

}  // namespace prof::unwind::walk
