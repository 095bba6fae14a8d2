// Callers of code that has no unwind information.
#pragma once

#include <cstdint>
#include <optional>

#include "unwind/walk/code_map.h"
#include "unwind/walk/stack_memory.h"

namespace prof::unwind::walk {

// The registers that every rule can be based on.
struct BaseRegisters {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  bool fp_known = false;
};

// Whether `pc` is in the call of rt_sigreturn that a signal handler returns to.
bool IsSignalTrampoline(Arch arch, const CodeRegion& region, std::uint64_t pc);
// Where the kernel's signal frame, which a trampoline finds at its stack pointer, has a register;
// by DWARF number, for all of the architecture's kCount.
std::uint64_t SignalContextOffset(Arch arch, std::uint64_t dwarf_register);
// What a signal interrupted; `now` is the state in the trampoline.
std::optional<BaseRegisters> InterruptedBySignal(Arch arch, const StackMemory& stack,
                                                 const BaseRegisters& now);

// Whether the handler of a signal frame at `frame_sp` ran on an alternate stack and what it
// interrupted, whose stack pointer is `interrupted_sp`, did not (sigaltstack(2)).
bool LeavesAlternateStack(Arch arch, const StackMemory& stack, std::uint64_t frame_sp,
                          std::uint64_t interrupted_sp);

// For code that keeps its caller's stack pointer below its own, where nothing is copied, as
// OpenSSL's hash functions do in loops: the lowest word that can be an older copy of it. `addend`
// is what the CFA is above the saved value.
std::optional<std::uint64_t> FindSavedStackPointer(const StackMemory& stack, RegionMemo& regions,
                                                   std::uint64_t sp, std::uint64_t addend);

// Whether a file address is in the first instructions a program runs: nobody called them.
bool IsEntry(const CodeRegion& region, std::uint64_t file_address);

// Whether the instruction before `address` is a call.
bool FollowsCall(Arch arch, RegionMemo& regions, std::uint64_t address);

// Code without unwind information is JIT code, Go or assembly. Most keeps a frame pointer; the rest
// is mostly leaf code, whose return address is the word on top of the stack or in the link
// register. `link` is that register's value where it is known; x86-64 has none.
std::optional<BaseRegisters> GuessCaller(Arch arch, const StackMemory& stack, RegionMemo& regions,
                                         const BaseRegisters& now,
                                         std::optional<std::uint64_t> link = std::nullopt);

}  // namespace prof::unwind::walk
