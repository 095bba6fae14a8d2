// .debug_frame in the form of .eh_frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace prof::unwind {

// DWARF 5, 6.4.1, to LSB 5.0, 10.6.1: both describe the same, so one reader is enough. The result
// is for file address `address`; its pointers are relative to themselves, so that it serves
// wherever the module is loaded. (DW_CFA_set_loc, which no compiler for x86-64 or aarch64 writes,
// would have a pointer inside and is not rewritten.) Entries that make no sense, and those of
// functions that the linker dropped (they begin at 0 or 1), are left out.
std::vector<std::byte> EhFrameFromDebugFrame(std::span<const std::byte> section,
                                             std::uint64_t address);

}  // namespace prof::unwind
