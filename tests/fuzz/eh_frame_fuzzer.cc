// Feeds arbitrary bytes to the ELF reader, the compiler of unwind rules and both walks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "unwind/debug_frame.h"
#include "unwind/module_cfi_table.h"
#include "unwind/walk/rule_compiler.h"
#include "unwind/walk/walker.h"

#include "prof/base/byte_reader.h"
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

constexpr std::uint64_t kFrame = 0x1000;

// Code everywhere in the lowest 4 GB, with one section of unwind information.
class FuzzCode final : public prof::unwind::walk::CodeMap {
 public:
  FuzzCode(prof::unwind::Arch arch, std::span<const std::byte> frame,
           std::span<const std::byte> code)
      : code_(code) {
    cfi_.arch = arch;
    cfi_.frame_address = kFrame;
    cfi_.frame = frame;
    std::uint64_t offset = 0;
    while (true) {
      prof::unwind::walk::Fde fde;
      std::uint64_t next = 0;
      const auto kind = prof::unwind::walk::ReadEntry(cfi_, offset, fde, next);
      if (kind == prof::unwind::walk::EntryKind::kEndOfEntries || next <= offset) break;
      if (kind == prof::unwind::walk::EntryKind::kFde) {
        rows_.push_back(
            {static_cast<std::int32_t>(fde.start), static_cast<std::int32_t>(kFrame + offset)});
      }
      offset = next;
    }
    std::ranges::sort(rows_);
    cfi_.table = std::as_bytes(std::span(rows_));
  }
  bool Locate(std::uint64_t address, prof::unwind::walk::CodeRegion& region) override {
    if (address >> 32 != 0) return false;
    region = {};
    region.end = std::uint64_t{1} << 32;
    region.module = 0;
    region.code = code_;
    region.cfi = &cfi_;
    return true;
  }

 private:
  std::span<const std::byte> code_;
  prof::unwind::walk::ModuleCfi cfi_;
  std::vector<std::array<std::int32_t, 2>> rows_;
};

// The input as architecture, registers, code, unwind information and stack, in this order.
void WalkOverSection(std::span<const std::byte> bytes) {
  prof::ByteReader reader(bytes);
  const std::uint8_t shape = reader.U8();
  prof::unwind::Registers registers;
  registers.arch = (shape & 1) != 0 ? prof::unwind::Arch::kAarch64 : prof::unwind::Arch::kX86_64;
  registers.valid = reader.U64() | std::uint64_t{1} << 7 | std::uint64_t{1} << 16;
  const std::size_t count = (shape & 1) != 0 ? 33 : 17;
  for (std::size_t i = 0; i < count; ++i) registers.value[i] = reader.U32();
  const std::size_t code_size = reader.U16();
  const std::size_t frame_size = reader.U16();
  if (!reader.ok()) return;
  const auto code_bytes = reader.Bytes(std::min(code_size, reader.remaining()));
  auto frame = reader.Bytes(std::min(frame_size, reader.remaining()));
  std::vector<std::byte> converted;
  if ((shape & 2) != 0) {
    converted = prof::unwind::EhFrameFromDebugFrame(frame, kFrame);
    frame = converted;
  }
  // Copies of exactly the size, so that a read behind the end is noticed.
  const auto rest = reader.Bytes(reader.remaining());
  const std::vector<std::byte> stack_bytes(rest.begin(), rest.end());
  const std::vector<std::byte> frame_bytes(frame.begin(), frame.end());
  FuzzCode code(registers.arch, frame_bytes, code_bytes);
  std::array<prof::unwind::walk::RuleCache::Slot, 64> slots{};
  prof::unwind::walk::RuleCache rules(slots);
  std::array<prof::unwind::UnwoundFrame, 128> frames;
  const prof::unwind::walk::StackMemory stack(registers.sp().value, stack_bytes);
  prof::unwind::walk::WalkStack(registers, stack, code, rules, frames);
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

// The same input as an image whose e_machine says aarch64.
void UnwindInAarch64Image(std::span<const std::byte> bytes) {
  using prof::unwind::Arch;
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
  WalkOverSection(bytes);
  UnwindInImage(bytes);
  UnwindInAarch64Image(bytes);
  return 0;
}
