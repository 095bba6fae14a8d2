// Follows frame pointers, recognises signal trampolines and call instructions.
#include "unwind/walk/guess.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "unwind/walk/aarch64_code.h"
#include "unwind/walk/registers.h"

namespace prof::unwind::walk {

namespace {

// Length of `call r/m64` (FF /2) from its ModRM byte on, counting the opcode; 0 if it is none.
// Intel SDM volume 2, tables 2-2 and 2-3; REX prefixes lie before the opcode and do not matter.
std::size_t IndirectCallLength(std::byte modrm_byte, std::byte sib_byte) {
  const auto modrm = std::to_integer<unsigned>(modrm_byte);
  const unsigned mod = modrm >> 6;
  const unsigned rm = modrm & 7;
  if (((modrm >> 3) & 7) != 2) return 0;
  if (mod == 3) return 2;
  const std::size_t sib = rm == 4 ? 1 : 0;
  if (mod == 1) return 3 + sib;
  if (mod == 2) return 6 + sib;
  if (rm == 5) return 6;
  const bool absolute = rm == 4 && (std::to_integer<unsigned>(sib_byte) & 7) == 5;
  return 2 + sib + (absolute ? 4 : 0);
}

bool FollowsX86Call(const CodeRegion& region, std::uint64_t address) {
  const auto direct = region.Code(address - 5, 5);
  if (!direct.empty() && direct[0] == std::byte{0xe8}) return true;
  for (std::size_t length = 2; length <= 7; ++length) {
    const auto code = region.Code(address - length, length);
    if (code.empty() || code[0] != std::byte{0xff}) continue;
    const std::byte sib = length > 2 ? code[2] : std::byte{0};
    if (IndirectCallLength(code[1], sib) == length) return true;
  }
  return false;
}

bool IsX86SignalTrampoline(const CodeRegion& region, std::uint64_t pc) {
  // mov $15, %rax (glibc, musl) or mov $15, %eax, then syscall.
  static constexpr std::array<unsigned char, 9> kLong = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 5};
  static constexpr std::array<unsigned char, 7> kShort = {0xb8, 0x0f, 0, 0, 0, 0x0f, 5};
  const auto starts_at = [&](std::uint64_t address, const auto& pattern) {
    const auto code = region.Code(address, pattern.size());
    return !code.empty() && std::memcmp(code.data(), pattern.data(), pattern.size()) == 0;
  };
  // Its start, at the syscall, or behind it, where the kernel leaves pc while it runs the call.
  return starts_at(pc, kLong) || starts_at(pc - 7, kLong) || starts_at(pc - 9, kLong) ||
         starts_at(pc, kShort) || starts_at(pc - 5, kShort) || starts_at(pc - 7, kShort);
}

// arch/x86/include/uapi/asm/sigcontext.h. ucontext_t: uc_flags, uc_link and stack_t take 40 bytes;
// then r8-r15, di, si, bp, bx, dx, ax, cx, sp, ip.
std::uint64_t X86SignalContextOffset(std::uint64_t dwarf_register) {
  static constexpr std::array<std::uint8_t, X86_64::kCount> kWord = {
      13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};
  return 40 + 8 * std::uint64_t{kWord[dwarf_register]};
}

// arch/arm64/kernel/signal.c, struct rt_sigframe: siginfo_t takes 128 bytes; in the ucontext_t the
// flags, link, stack_t, 128 bytes for the signal mask and 8 of padding come before uc_mcontext,
// which has the fault address, then x0-x30, sp, pc.
std::uint64_t Aarch64SignalContextOffset(std::uint64_t dwarf_register) {
  return 128 + 176 + 8 + 8 * dwarf_register;
}

// Both architectures: fp -> {fp of the caller, return address}. On aarch64 compilers may put this
// record anywhere in a frame; code that comes without unwind information puts it on top.
std::optional<BaseRegisters> ThroughFramePointer(Arch arch, const StackMemory& stack,
                                                 RegionMemo& regions, const BaseRegisters& now) {
  if (!now.fp_known || now.fp < now.sp || now.fp % 8 != 0) return std::nullopt;
  BaseRegisters caller{0, now.fp + 16, 0, true};
  if (!stack.Read(now.fp, caller.fp) || !stack.Read(now.fp + 8, caller.pc)) return std::nullopt;
  if (arch == Arch::kAarch64) caller.pc = aarch64::WithoutSignature(regions, caller.pc);
  if (caller.pc != 0 && regions.Find(caller.pc - 1) == nullptr) return std::nullopt;
  return caller;
}

std::optional<BaseRegisters> ThroughTopOfStack(const StackMemory& stack, RegionMemo& regions,
                                               const BaseRegisters& now) {
  BaseRegisters caller{0, now.sp + 8, now.fp, now.fp_known};
  if (!stack.Read(now.sp, caller.pc) || !FollowsCall(Arch::kX86_64, regions, caller.pc))
    return std::nullopt;
  return caller;
}

// What one instruction of an epilogue does; 0 bytes for any other instruction.
struct EpilogueStep {
  std::size_t bytes = 0;
  bool returns = false;
  bool leaves = false;  // rsp = rbp, pop rbp
  bool pops_fp = false;
  std::uint64_t pops = 0;  // bytes, but for `leaves`
};

// Intel SDM volume 2: ret, pop, leave, add imm to rsp, vzeroupper.
EpilogueStep ReadEpilogueStep(std::span<const std::byte> code) {
  std::array<unsigned char, 7> byte{};
  std::memcpy(byte.data(), code.data(), std::min(code.size(), byte.size()));
  if (byte[0] == 0xc3) return {.bytes = 1, .returns = true};
  if (byte[0] == 0xf3 && byte[1] == 0xc3) return {.bytes = 2, .returns = true};
  if (byte[0] == 0xc9) return {.bytes = 1, .leaves = true};
  if (byte[0] >= 0x58 && byte[0] <= 0x5f && byte[0] != 0x5c) {
    return {.bytes = 1, .pops_fp = byte[0] == 0x5d, .pops = 8};
  }
  if (byte[0] == 0x41 && byte[1] >= 0x58 && byte[1] <= 0x5f) return {.bytes = 2, .pops = 8};
  if (byte[0] == 0xc5 && byte[1] == 0xf8 && byte[2] == 0x77) return {.bytes = 3};
  const bool adds_to_rsp = byte[0] == 0x48 && byte[2] == 0xc4;
  if (adds_to_rsp && byte[1] == 0x83 && byte[3] < 0x80) return {.bytes = 4, .pops = byte[3]};
  if (adds_to_rsp && byte[1] == 0x81 && byte[6] < 0x80) {
    std::uint32_t immediate = 0;
    std::memcpy(&immediate, &byte[3], sizeof immediate);
    return {.bytes = 7, .pops = immediate};
  }
  return {};
}

// Where nothing but an epilogue is left to run, it says where the return address is. So it is in
// .init and .fini, which have no unwind information, and in some assembly.
std::optional<BaseRegisters> ThroughEpilogue(const StackMemory& stack, RegionMemo& regions,
                                             const BaseRegisters& now) {
  const CodeRegion* region = regions.Find(now.pc);
  if (region == nullptr || now.pc - region->start >= region->code.size()) return std::nullopt;
  auto code = region->code.subspan(now.pc - region->start);
  BaseRegisters caller = now;
  constexpr int kMostSteps = 12;
  for (int i = 0; i < kMostSteps && !code.empty(); ++i) {
    const EpilogueStep step = ReadEpilogueStep(code);
    if (step.bytes == 0 || step.bytes > code.size()) return std::nullopt;
    code = code.subspan(step.bytes);
    if (step.leaves) {
      if (!caller.fp_known || caller.fp < caller.sp) return std::nullopt;
      caller.sp = caller.fp + 8;
    }
    if ((step.leaves || step.pops_fp) &&
        !stack.Read(step.leaves ? caller.fp : caller.sp, caller.fp)) {
      return std::nullopt;
    }
    if (step.pops_fp) caller.fp_known = true;
    caller.sp += step.pops;
    if (!step.returns) continue;
    if (!stack.Read(caller.sp, caller.pc) || !FollowsCall(Arch::kX86_64, regions, caller.pc)) break;
    caller.sp += 8;
    return caller;
  }
  return std::nullopt;
}

std::optional<BaseRegisters> ThroughLink(RegionMemo& regions, const BaseRegisters& now,
                                         std::optional<std::uint64_t> link) {
  if (!link || !FollowsCall(Arch::kAarch64, regions, *link)) return std::nullopt;
  return BaseRegisters{*link, now.sp, now.fp, now.fp_known};
}

// Whether code at `pc` of aarch64 surely has not saved `link`, its return address.
bool HasNoFrame(const CodeRegion& region, std::uint64_t pc, std::uint64_t link) {
  return aarch64::IsInPlt(region, pc) || aarch64::LinkIsCurrent(region, pc, link);
}

}  // namespace

bool IsSignalTrampoline(Arch arch, const CodeRegion& region, std::uint64_t pc) {
  return arch == Arch::kX86_64 ? IsX86SignalTrampoline(region, pc)
                               : aarch64::IsSignalTrampoline(region, pc);
}

std::uint64_t SignalContextOffset(Arch arch, std::uint64_t dwarf_register) {
  return arch == Arch::kX86_64 ? X86SignalContextOffset(dwarf_register)
                               : Aarch64SignalContextOffset(dwarf_register);
}

std::optional<BaseRegisters> InterruptedBySignal(Arch arch, const StackMemory& stack,
                                                 const BaseRegisters& now) {
  const bool x86 = arch == Arch::kX86_64;
  const auto read = [&](std::uint64_t number, std::uint64_t& word) {
    return stack.Read(now.sp + SignalContextOffset(arch, number), word);
  };
  BaseRegisters before{0, 0, 0, true};
  if (!read(x86 ? X86_64::kPc : Aarch64::kPc, before.pc) ||
      !read(x86 ? X86_64::kSp : Aarch64::kSp, before.sp) ||
      !read(x86 ? X86_64::kFp : Aarch64::kFp, before.fp)) {
    return std::nullopt;
  }
  return before;
}

// uc_stack is {ss_sp, ss_flags, ss_size} of the thread's alternate stack and lies behind uc_flags
// and uc_link, on aarch64 also behind the siginfo_t.
bool LeavesAlternateStack(Arch arch, const StackMemory& stack, std::uint64_t frame_sp,
                          std::uint64_t interrupted_sp) {
  const std::uint64_t place = frame_sp + (arch == Arch::kX86_64 ? 16 : 128 + 16);
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  if (!stack.Read(place, start) || !stack.Read(place + 16, size)) return false;
  return frame_sp - start < size && interrupted_sp - start > size;
}

std::optional<std::uint64_t> FindSavedStackPointer(const StackMemory& stack, RegionMemo& regions,
                                                   std::uint64_t sp, std::uint64_t addend) {
  constexpr std::uint64_t kLargestFrame = 4096;
  for (std::uint64_t slot = sp; slot - sp < kLargestFrame; slot += 8) {
    std::uint64_t saved = 0;
    std::uint64_t return_address = 0;
    if (!stack.Read(slot, saved)) break;
    if (saved <= slot || saved - slot > kLargestFrame || saved % 8 != 0) continue;
    if (stack.Read(saved + addend - 8, return_address) &&
        FollowsCall(Arch::kX86_64, regions, return_address)) {
      return saved;
    }
  }
  return std::nullopt;
}

bool IsEntry(const CodeRegion& region, std::uint64_t file_address) {
  constexpr std::uint64_t kEntryBytes = 64;
  return region.entry != 0 && file_address >= region.entry &&
         file_address - region.entry < kEntryBytes;
}

bool FollowsCall(Arch arch, RegionMemo& regions, std::uint64_t address) {
  if (address == 0) return false;
  const CodeRegion* region = regions.Find(address - 1);
  if (region == nullptr) return false;
  return arch == Arch::kX86_64 ? FollowsX86Call(*region, address)
                               : aarch64::FollowsCall(*region, address);
}

std::optional<BaseRegisters> GuessCaller(Arch arch, const StackMemory& stack, RegionMemo& regions,
                                         const BaseRegisters& now,
                                         std::optional<std::uint64_t> link) {
  const auto through_leaf = [&] {
    return arch == Arch::kX86_64 ? ThroughTopOfStack(stack, regions, now)
                                 : ThroughLink(regions, now, link);
  };
  // At an address that is no code (a call through a bad pointer) the call has just left its return
  // address, and the frame pointer is still the caller's.
  const CodeRegion* region = regions.Find(now.pc);
  const bool in_code = region != nullptr;
  if (!in_code || (link && HasNoFrame(*region, now.pc, *link))) {
    if (auto caller = through_leaf()) return caller;
  }
  if (arch == Arch::kX86_64) {
    if (auto caller = ThroughEpilogue(stack, regions, now)) return caller;
  }
  if (auto caller = ThroughFramePointer(arch, stack, regions, now)) return caller;
  return in_code ? through_leaf() : std::nullopt;
}

}  // namespace prof::unwind::walk
