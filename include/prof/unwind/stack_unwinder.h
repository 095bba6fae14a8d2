// Registers and a stack copy in, frames out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "prof/model/address.h"
#include "prof/model/address_space.h"
#include "prof/model/stack.h"
#include "prof/unwind/arch.h"
#include "prof/unwind/elf_image.h"

namespace prof::unwind {

// The registers perf must deliver for unwinding (attr.sample_regs_user).
std::uint64_t RequiredUserRegisters(Arch arch = kHostArch);

// Registers of one thread by DWARF number; `valid` has a bit per register that the sample carried.
// x86-64: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8-15 r8-r15, 16 rip (System V
// ABI, figure 3.36). aarch64: 0-30 x0-x30, 31 sp, 32 pc.
struct Registers {
  std::array<std::uint64_t, 33> value{};
  std::uint64_t valid = 0;
  Arch arch = kHostArch;
  [[nodiscard]] model::RuntimeAddr pc() const;
  [[nodiscard]] model::RuntimeAddr sp() const;
  [[nodiscard]] bool HasPcAndSp() const;
};
// From PERF_SAMPLE_REGS_USER: `words` holds one value per bit of `mask`, ascending
// (arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/include/uapi/asm/perf_regs.h).
Registers RegistersFromPerf(std::uint64_t mask, std::span<const std::uint64_t> words,
                            Arch arch = kHostArch);

// The images of a session's modules, indexed by LoadedModule. Null for modules without a readable
// file.
class ImageTable {
 public:
  virtual ~ImageTable() = default;
  [[nodiscard]] virtual const ElfImage* Image(model::LoadedModule module) const = 0;
};

struct StackInput {
  Registers registers;
  std::span<const std::byte> stack;  // begins at registers.sp(); read in place, never past its end
};

struct UnwoundFrame {
  // The pc of frame 0, of the trampoline behind a signal handler and of what the signal interrupted
  // (all kInstruction), else a return address.
  model::RuntimeAddr address;
  model::FrameKind kind = model::FrameKind::kInstruction;
  model::LoadedModule module = 0;
  model::FileAddr file_address;
  std::uint64_t sp = 0;  // the stack pointer in this frame: with `address` it tells whether two
                         // stacks of a thread share a frame; 0 when no walk found it
};
// Of an address in no mapping.
inline constexpr model::LoadedModule kNoModule = ~model::LoadedModule{0};

// Not thread-safe: one per reader. Keeps caches per module, valid while `images` only grows.
class StackUnwinder {
 public:
  explicit StackUnwinder(const ImageTable& images);
  ~StackUnwinder();
  StackUnwinder(const StackUnwinder&) = delete;
  StackUnwinder& operator=(const StackUnwinder&) = delete;

  // Writes the user frames, innermost first, into `frames` (cleared first; its capacity is reused)
  // and says how the walk ended. At most `max_frames`. Frame 0 is the registers' pc and is always
  // there.
  model::StackEnd Unwind(const StackInput& input, const model::AddressSpace& space,
                         std::size_t max_frames, std::vector<UnwoundFrame>& frames);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The one translation of a runtime address: through its mapping and the module's program headers.
// JIT memory and modules without an image keep offset or runtime address unchanged.
UnwoundFrame LocateFrame(model::RuntimeAddr address, model::FrameKind kind,
                         const model::AddressSpace& space, const ImageTable& images);

}  // namespace prof::unwind
