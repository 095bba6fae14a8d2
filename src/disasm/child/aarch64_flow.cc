// Encodings: Arm Architecture Reference Manual, "Branches, Exception Generating and System
// instructions".
#include "disasm/child/aarch64_flow.h"

#include <optional>

namespace prof::disasm {
namespace {

bool Matches(std::uint32_t word, std::uint32_t mask, std::uint32_t value) {
  return (word & mask) == value;
}

// The signed field of `bits` bits from bit `low` on counts instructions.
model::FileAddr Relative(std::uint32_t word, unsigned low, unsigned bits, model::FileAddr from) {
  const std::uint32_t field = word << (32 - low - bits);
  const auto offset = static_cast<std::int64_t>(static_cast<std::int32_t>(field)) >> (32 - bits);
  return from + static_cast<std::uint64_t>(offset * 4);
}

bool IsIndirectJump(std::uint32_t word) {  // br, braa, brab, braaz, brabz
  return Matches(word, 0xfffffc1f, 0xd61f0000) || Matches(word, 0xfffff81f, 0xd61f081f) ||
         Matches(word, 0xfffff800, 0xd71f0800);
}

bool IsIndirectCall(std::uint32_t word) {  // blr and the authenticated ones
  return Matches(word, 0xfffffc1f, 0xd63f0000) || Matches(word, 0xfffff81f, 0xd63f081f) ||
         Matches(word, 0xfffff800, 0xd73f0800);
}

bool IsReturn(std::uint32_t word) {  // ret, retaa, retab, eret, eretaa, eretab
  return Matches(word, 0xfffffc1f, 0xd65f0000) || Matches(word, 0xfffffbff, 0xd65f0bff) ||
         word == 0xd69f03e0 || Matches(word, 0xfffffbff, 0xd69f0bff);
}

bool IsStop(std::uint32_t word) {  // udf, brk, hlt
  return Matches(word, 0xffff0000, 0) || Matches(word, 0xffe0001f, 0xd4200000) ||
         Matches(word, 0xffe0001f, 0xd4400000);
}

}  // namespace

void SetAarch64Flow(std::uint32_t word, Instruction& result) {
  if (Matches(word, 0xfc000000, 0x14000000)) {  // b
    result.flow = Flow::kJump;
    result.target = Relative(word, 0, 26, result.address);
  } else if (Matches(word, 0xfc000000, 0x94000000)) {  // bl
    result.flow = Flow::kCall;
    result.target = Relative(word, 0, 26, result.address);
  } else if (Matches(word, 0xff000000, 0x54000000) ||  // b.cond, bc.cond
             Matches(word, 0x7e000000, 0x34000000)) {  // cbz, cbnz
    result.flow = Flow::kConditionalJump;
    result.target = Relative(word, 5, 19, result.address);
  } else if (Matches(word, 0x7e000000, 0x36000000)) {  // tbz, tbnz
    result.flow = Flow::kConditionalJump;
    result.target = Relative(word, 5, 14, result.address);
  } else if (IsIndirectJump(word)) {
    result.flow = Flow::kJump;
  } else if (IsIndirectCall(word)) {
    result.flow = Flow::kCall;
  } else if (IsReturn(word)) {
    result.flow = Flow::kReturn;
  } else if (IsStop(word)) {
    result.flow = Flow::kStop;
  } else if (Matches(word, 0x3b000000, 0x18000000)) {  // ldr, ldrsw, prfm of a literal
    result.referred = Relative(word, 5, 19, result.address);
  }
}

}  // namespace prof::disasm
