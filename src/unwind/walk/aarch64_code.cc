// Reads the few aarch64 instructions that the walk has to know (Arm ARM, C4.1 and C6.2).
#include "unwind/walk/aarch64_code.h"

#include <array>
#include <cstring>
#include <optional>

namespace prof::unwind::walk::aarch64 {

namespace {

std::optional<std::uint32_t> InstructionAt(const CodeRegion& region, std::uint64_t address) {
  const auto code = region.Code(address, sizeof(std::uint32_t));
  if (code.empty() || address % sizeof(std::uint32_t) != 0) return std::nullopt;
  std::uint32_t instruction = 0;
  std::memcpy(&instruction, code.data(), sizeof(instruction));
  return instruction;
}

}  // namespace

bool IsSignalTrampoline(const CodeRegion& region, std::uint64_t pc) {
  constexpr std::uint32_t kMovX8 = 0xd2801168;  // mov x8, #139
  constexpr std::uint32_t kSvc = 0xd4000001;
  // Its start, at the system call, or behind it, where the kernel leaves pc while it runs the call.
  for (const std::uint64_t back : {0, 4, 8}) {
    if (InstructionAt(region, pc - back) == kMovX8 && InstructionAt(region, pc - back + 4) == kSvc)
      return true;
  }
  return false;
}

bool FollowsCall(const CodeRegion& region, std::uint64_t address) {
  const auto call = InstructionAt(region, address - 4);
  if (!call) return false;
  return (*call & 0xfc000000) == 0x94000000 ||  // bl
         (*call & 0xfffffc1f) == 0xd63f0000 ||  // blr
         (*call & 0xfefff800) == 0xd63f0800;    // blraa, blrab, blraaz, blrabz
}

// bti c; adrp x16, page; ldr x17, [x16, offset]; add x16, x16, offset; br x17, the first only with
// branch protection, where `autia1716` or `braa x17, x16` may stand before or for the jump.
bool IsInPlt(const CodeRegion& region, std::uint64_t pc) {
  constexpr std::uint64_t kMostInstructions = 6;
  for (std::uint64_t i = 0; i < kMostInstructions; ++i) {
    const auto instruction = InstructionAt(region, pc + 4 * i);
    if (!instruction) return false;
    if (*instruction == 0xd61f0220 || *instruction == 0xd71f0a30) return true;  // br, braa
    const bool belongs = *instruction == 0xd503245f ||                          // bti c
                         *instruction == 0xd503219f ||                          // autia1716
                         (*instruction & 0x9f00001f) == 0x90000010 ||           // adrp x16
                         (*instruction & 0xffc003ff) == 0xf9400211 ||  // ldr x17, [x16, offset]
                         (*instruction & 0xff8003ff) == 0x91000210;    // add x16, x16, offset
    if (!belongs) return false;
  }
  return false;
}

bool LinkIsCurrent(const CodeRegion& region, std::uint64_t pc, std::uint64_t link) {
  constexpr std::uint64_t kLargestLeaf = 4096;
  const auto is_return = [](std::uint32_t instruction) {
    return instruction == 0xd65f03c0 || (instruction & 0xfffffbff) == 0xd65f0bff;  // ret, retaa/b
  };
  const auto here = InstructionAt(region, pc);
  if (here && is_return(*here)) return true;
  const auto call = InstructionAt(region, link - 4);
  if (!call || (*call & 0xfc000000) != 0x94000000) return false;
  // bl: 26 signed bits, in instructions.
  const auto distance = static_cast<std::int64_t>(std::uint64_t{*call} << 38) >> 36;
  const std::uint64_t function = link - 4 + static_cast<std::uint64_t>(distance);
  if (function > pc || pc - function > kLargestLeaf) return false;
  for (std::uint64_t address = function; address < pc; address += 4) {
    const auto instruction = InstructionAt(region, address);
    const bool sets_fp = instruction && (*instruction & 0xffc003ff) == 0x910003fd;  // add x29, sp
    if (!instruction || is_return(*instruction) || sets_fp) return false;
  }
  return true;
}

// Linux: Documentation/arch/arm64/pointer-authentication.rst, and for the sizes of user addresses
// ARM64_VA_BITS in arch/arm64/Kconfig. 48 bits are the usual ones, and code is above them only
// where a program asked mmap() for that.
std::uint64_t WithoutSignature(RegionMemo& regions, std::uint64_t address) {
  static constexpr std::array<unsigned, 6> kAddressBits = {48, 52, 47, 42, 39, 36};
  const auto low = [address](unsigned bits) { return address & ((std::uint64_t{1} << bits) - 1); };
  for (const unsigned bits : kAddressBits) {
    const std::uint64_t candidate = low(bits);
    if (candidate == 0 || regions.Find(candidate - 1) != nullptr) return candidate;
  }
  return low(kAddressBits[0]);
}

}  // namespace prof::unwind::walk::aarch64
