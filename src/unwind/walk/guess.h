// Callers of x86-64 code that has no unwind information.
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

// Whether `pc` is in `mov $__NR_rt_sigreturn, %eax; syscall`: what a signal handler returns to.
bool IsSignalTrampoline(const CodeRegion& region, std::uint64_t pc);
// Offsets of registers in the ucontext_t that a signal trampoline finds at its stack pointer; by
// DWARF number, as arch/x86/include/uapi/asm/sigcontext.h orders them behind uc_stack.
std::uint64_t SignalContextOffset(std::uint64_t dwarf_register);
// What a signal interrupted; `now` is the state in the trampoline.
std::optional<BaseRegisters> InterruptedBySignal(const StackMemory& stack,
                                                 const BaseRegisters& now);

// Whether a file address is in the first instructions a program runs: nobody called them.
bool IsEntry(const CodeRegion& region, std::uint64_t file_address);

// Whether the instruction before `address` is a call.
bool FollowsCall(RegionMemo& regions, std::uint64_t address);

// Code without unwind information is JIT code, Go or assembly. Most keeps a frame pointer; the rest
// is mostly leaf code, whose return address is the word on top of the stack.
std::optional<BaseRegisters> GuessCaller(const StackMemory& stack, RegionMemo& regions,
                                         const BaseRegisters& now);

}  // namespace prof::unwind::walk
