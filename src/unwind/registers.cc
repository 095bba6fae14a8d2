// Translates between perf's register numbers and DWARF's, for the machine prof runs on.
#include <bit>

#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

namespace {

#if defined(__x86_64__)
// arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8-R15.
constexpr std::size_t kNoRegister = 64;
constexpr std::array<std::size_t, 24> kDwarfOfPerf = {
    0,  3,           2,           1,           4,           5,           6,           7,
    16, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister,
    8,  9,           10,          11,          12,          13,          14,          15};
constexpr std::uint64_t kRequired = 0xff01ff;
constexpr std::size_t kPc = 16;
constexpr std::size_t kSp = 7;

constexpr std::size_t DwarfOfPerf(std::size_t bit) {
  return bit < kDwarfOfPerf.size() ? kDwarfOfPerf[bit] : kNoRegister;
}
#elif defined(__aarch64__)
// arch/arm64/include/uapi/asm/perf_regs.h: X0-X28, X29, LR, SP, PC; the DWARF numbers are the same.
constexpr std::uint64_t kRequired = (std::uint64_t{1} << 33) - 1;
constexpr std::size_t kPc = 32;
constexpr std::size_t kSp = 31;

constexpr std::size_t DwarfOfPerf(std::size_t bit) { return bit; }
#else
#error "prof knows the registers of x86-64 and aarch64 only"
#endif

}  // namespace

std::uint64_t RequiredUserRegisters() { return kRequired; }

model::RuntimeAddr Registers::pc() const { return {value[kPc]}; }
model::RuntimeAddr Registers::sp() const { return {value[kSp]}; }

bool Registers::HasPcAndSp() const { return (valid >> kPc & valid >> kSp & 1) != 0; }

Registers RegistersFromPerf(std::uint64_t mask, std::span<const std::uint64_t> words) {
  Registers registers;
  for (const std::uint64_t word : words) {
    if (mask == 0) break;
    const std::size_t number = DwarfOfPerf(static_cast<std::size_t>(std::countr_zero(mask)));
    mask &= mask - 1;
    if (number >= registers.value.size()) continue;
    registers.value[number] = word;
    registers.valid |= std::uint64_t{1} << number;
  }
  return registers;
}

}  // namespace prof::unwind
