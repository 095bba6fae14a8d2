// What aarch64 instructions and pointers say about calls.
#pragma once

#include <cstdint>

#include "unwind/walk/code_map.h"

namespace prof::unwind::walk::aarch64 {

// Whether `pc` is in `mov x8, #__NR_rt_sigreturn; svc #0`: what a signal handler returns to.
bool IsSignalTrampoline(const CodeRegion& region, std::uint64_t pc);

// Whether the instruction before `address` is a call.
bool FollowsCall(const CodeRegion& region, std::uint64_t address);

// Whether `pc` is in an entry of .plt, which jumps through x17 and touches neither stack nor link
// register. Linkers write no unwind information for these.
bool IsInPlt(const CodeRegion& region, std::uint64_t pc);

// Whether the function that `link` says was called is still, or again, without a frame at `pc`: in
// a leaf, before the frame record is made, or at the return. Else `link` may be left over from a
// call that has long returned. Without unwind information only direct calls can tell.
bool LinkIsCurrent(const CodeRegion& region, std::uint64_t pc, std::uint64_t link);

// A code address without the authentication code that `paciasp` and its like put into its upper
// bits. The code begins where user addresses end, which no register of a sample tells: the widest
// address that leads to code counts.
std::uint64_t WithoutSignature(RegionMemo& regions, std::uint64_t address);

}  // namespace prof::unwind::walk::aarch64
