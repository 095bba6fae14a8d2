// Feeds arbitrary bytes to the ELF reader, the .eh_frame compiler and the unwinder.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "unwind/module_cfi_table.h"
#include "unwind/walk/rule_compiler.h"

#include "prof/unwind/elf_image.h"
#include "prof/unwind/stack_unwinder.h"

namespace {

using prof::unwind::ElfImage;

class OneImage final : public prof::unwind::ImageTable {
 public:
  explicit OneImage(const ElfImage* image) : image_(image) {}
  [[nodiscard]] const ElfImage* Image(prof::model::LoadedModule) const override { return image_; }

 private:
  const ElfImage* image_;
};

// The input as a bare .eh_frame section.
void CompileSection(std::span<const std::byte> bytes) {
  prof::unwind::walk::ModuleCfi cfi;
  cfi.frame_address = 0x1000;
  cfi.frame = bytes;
  std::uint64_t offset = 0;
  while (true) {
    prof::unwind::walk::Fde fde;
    std::uint64_t next = 0;
    const auto kind = prof::unwind::walk::ReadEntry(cfi, offset, fde, next);
    if (kind == prof::unwind::walk::EntryKind::kEndOfEntries || next <= offset) break;
    if (kind == prof::unwind::walk::EntryKind::kFde) {
      const std::array<std::int32_t, 2> row = {
          0, static_cast<std::int32_t>(cfi.frame_address + offset - fde.start)};
      cfi.table_base = fde.start;
      cfi.table = std::as_bytes(std::span(row));
      prof::unwind::walk::CompileRule(cfi, fde.start);
      prof::unwind::walk::CompileRule(cfi, fde.end - 1);
    }
    offset = next;
  }
}

// The input as an ELF file, and its last bytes as registers and stack of a thread in it.
void UnwindInImage(std::span<const std::byte> bytes) {
  const auto image = ElfImage::FromMemory(bytes, "fuzz");
  if (!image) return;
  prof::unwind::StackInput input;
  const std::size_t tail = std::min<std::size_t>(bytes.size(), 512);
  input.stack = bytes.last(tail);
  input.registers.valid = 0x1ffff;
  const std::size_t words = std::min<std::size_t>(17, tail / 8);
  std::memcpy(input.registers.value.data(), input.stack.data(), words * 8);
  prof::model::AddressSpace space;
  for (const auto& segment : (*image)->segments()) {
    if (segment.executable && segment.file_size < (std::uint64_t{1} << 30)) {
      space.Map({{segment.address.value},
                 {segment.address.value + segment.file_size},
                 segment.offset,
                 0});
    }
  }
  const OneImage images(image->get());
  prof::unwind::StackUnwinder unwinder(images);
  std::vector<prof::unwind::UnwoundFrame> frames;
  unwinder.Unwind(input, space, 100, frames);
}

// The same input as aarch64: a bare section, and an image whose e_machine says so.
void CompileAndUnwindAarch64(std::span<const std::byte> bytes) {
  using prof::unwind::Arch;
  prof::unwind::walk::ModuleCfi cfi;
  cfi.arch = Arch::kAarch64;
  cfi.frame_address = 0x1000;
  cfi.frame = bytes;
  const prof::unwind::walk::IndexedEntry entries[] = {{0, 0}, {1, bytes.size() / 2 & ~3ULL}};
  cfi.index = entries;
  prof::unwind::walk::CompileRule(cfi, 0);
  prof::unwind::walk::CompileRule(cfi, 0x1000);

  constexpr std::size_t kMachineOffset = 18;
  constexpr std::byte kAarch64{183};
  if (bytes.size() < kMachineOffset + 2) return;
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy[kMachineOffset] = kAarch64;
  copy[kMachineOffset + 1] = std::byte{0};
  const auto image = ElfImage::FromMemory(copy, "fuzz");
  if (!image) return;
  prof::unwind::StackInput input;
  input.registers.arch = Arch::kAarch64;
  input.registers.valid = prof::unwind::RequiredUserRegisters(Arch::kAarch64);
  const std::size_t tail = std::min<std::size_t>(bytes.size(), 1024);
  const std::vector<std::byte> stack(bytes.end() - static_cast<std::ptrdiff_t>(tail), bytes.end());
  input.stack = stack;
  const std::size_t words = std::min<std::size_t>(33, tail / 8);
  std::memcpy(input.registers.value.data(), stack.data(), words * 8);
  prof::model::AddressSpace space;
  for (const auto& segment : (*image)->segments()) {
    if (!segment.executable || segment.file_size >= (std::uint64_t{1} << 30)) continue;
    const std::uint64_t start = segment.address.value;
    space.Map({{start}, {start + segment.file_size}, segment.offset, 0});
    // Somewhere in the code, so that rules are met at all.
    if (!space.Find(input.registers.pc()) && segment.file_size != 0) {
      input.registers.value[32] = start + input.registers.value[32] % segment.file_size;
    }
  }
  const OneImage images(image->get());
  prof::unwind::StackUnwinder unwinder(images);
  std::vector<prof::unwind::UnwoundFrame> frames;
  unwinder.Unwind(input, space, 100, frames);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  CompileSection(bytes);
  UnwindInImage(bytes);
  CompileAndUnwindAarch64(bytes);
  return 0;
}
