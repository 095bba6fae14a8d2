// The processors whose stacks can be unwound, all of them on every host.
#pragma once

#include <cstdint>
#include <optional>

namespace prof::unwind {

enum class Arch : std::uint8_t { kX86_64, kAarch64 };

// Of the machine prof runs on, so of the samples it takes.
#if defined(__x86_64__)
inline constexpr Arch kHostArch = Arch::kX86_64;
#elif defined(__aarch64__)
inline constexpr Arch kHostArch = Arch::kAarch64;
#else
#error "prof knows the registers of x86-64 and aarch64 only"
#endif

// From ElfImage::machine(), an EM_* of <elf.h>.
std::optional<Arch> ArchOfMachine(std::uint16_t machine);

}  // namespace prof::unwind
