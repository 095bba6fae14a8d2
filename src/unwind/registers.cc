// Translates between perf's register numbers and DWARF's.
#include "unwind/walk/registers.h"

#include <elf.h>

#include <bit>

#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

namespace {

constexpr std::size_t kNoRegister = 64;

std::size_t DwarfOfPerf(Arch arch, std::size_t bit) {
  // arch/arm64/include/uapi/asm/perf_regs.h: X0-X28, X29, LR, SP, PC; the DWARF numbers are the
  // same.
  if (arch == Arch::kAarch64) return bit < walk::Aarch64::kCount ? bit : kNoRegister;
  // arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS
  // R8-R15.
  static constexpr std::array<std::size_t, 24> kX86 = {
      0,  3,           2,           1,           4,           5,           6,           7,
      16, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister,
      8,  9,           10,          11,          12,          13,          14,          15};
  return bit < kX86.size() ? kX86[bit] : kNoRegister;
}

std::size_t PcOf(Arch arch) {
  return arch == Arch::kX86_64 ? walk::X86_64::kPc : walk::Aarch64::kPc;
}
std::size_t SpOf(Arch arch) {
  return arch == Arch::kX86_64 ? walk::X86_64::kSp : walk::Aarch64::kSp;
}

}  // namespace

std::optional<Arch> ArchOfMachine(std::uint16_t machine) {
  if (machine == EM_X86_64) return Arch::kX86_64;
  if (machine == EM_AARCH64) return Arch::kAarch64;
  return std::nullopt;
}

std::uint64_t RequiredUserRegisters(Arch arch) {
  return arch == Arch::kX86_64 ? 0xff01ff : (std::uint64_t{1} << walk::Aarch64::kCount) - 1;
}

model::RuntimeAddr Registers::pc() const { return {value[PcOf(arch)]}; }
model::RuntimeAddr Registers::sp() const { return {value[SpOf(arch)]}; }

bool Registers::HasPcAndSp() const { return (valid >> PcOf(arch) & valid >> SpOf(arch) & 1) != 0; }

Registers RegistersFromPerf(std::uint64_t mask, std::span<const std::uint64_t> words, Arch arch) {
  Registers registers;
  registers.arch = arch;
  for (const std::uint64_t word : words) {
    if (mask == 0) break;
    const std::size_t number = DwarfOfPerf(arch, static_cast<std::size_t>(std::countr_zero(mask)));
    mask &= mask - 1;
    if (number >= registers.value.size()) continue;
    registers.value[number] = word;
    registers.valid |= std::uint64_t{1} << number;
  }
  return registers;
}

}  // namespace prof::unwind
