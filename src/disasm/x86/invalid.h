// What objdump makes of bytes in which Zydis finds no instruction.
#pragma once

#include <cstdint>
#include <span>

namespace prof::disasm::x86 {

// Bytes that "(bad)" takes from the opcode on: up to the last one that chooses an instruction.
// `opcode` is not empty; the result may be more than there is.
std::size_t InvalidLength(std::span<const std::uint8_t> opcode);

// Encodings by VEX, EVEX and XOP: the prefixes in front of a whole one are not printed when it is
// invalid.
bool IsVectorEncoding(std::uint8_t opcode);

// Aliases of x87 instructions, which processors have and objdump does not know.
bool IsX87Alias(std::uint8_t opcode, std::uint8_t modrm);

// Invalid instructions whose ModRM byte objdump nevertheless shows: x87 of memory, and moves of
// segment registers that do not exist or cannot be loaded.
enum class ShownInvalid : std::uint8_t { kNo, kX87Memory, kSegment };
ShownInvalid WhatShows(std::span<const std::uint8_t> opcode);

}  // namespace prof::disasm::x86
