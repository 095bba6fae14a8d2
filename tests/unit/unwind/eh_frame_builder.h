// Writes small .eh_frame sections for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "unwind/walk/frame_entry.h"

#include "prof/base/byte_writer.h"

namespace prof::unwind {

// DWARF call frame instructions and expression operators, where tests use them.
inline constexpr std::uint8_t kAdvance1 = 0x41;  // by one code unit
inline constexpr std::uint8_t kDefCfa = 0x0c;
inline constexpr std::uint8_t kDefCfaRegister = 0x0d;
inline constexpr std::uint8_t kDefCfaOffset = 0x0e;
inline constexpr std::uint8_t kDefCfaExpression = 0x0f;
inline constexpr std::uint8_t kExpression = 0x10;
inline constexpr std::uint8_t kUndefined = 0x07;
inline constexpr std::uint8_t kRegister = 0x09;
inline constexpr std::uint8_t kRemember = 0x0a;
inline constexpr std::uint8_t kRestoreState = 0x0b;
inline constexpr std::uint8_t kValOffset = 0x14;
inline constexpr std::uint8_t kOffset = 0x80;   // + register
inline constexpr std::uint8_t kRestore = 0xc0;  // + register

class EhFrameBuilder {
 public:
  using Program = std::vector<std::uint8_t>;

  // Sections are at kAddress; pointers are absolute 64-bit.
  static constexpr std::uint64_t kAddress = 0x10000;

  explicit EhFrameBuilder(Arch arch = Arch::kX86_64) : arch_(arch) {}

  // `rules` follow the state at the start of a function: on x86-64 CFA = rsp + 8 and the return
  // address at CFA - 8, on aarch64 CFA = sp.
  void Cie(std::string_view augmentation = "zR", const Program& rules = {}) {
    cie_ = bytes_.size();
    ByteWriter body;
    body.U32(0);
    body.U8(1);
    for (const char letter : augmentation) body.U8(static_cast<std::uint8_t>(letter));
    body.U8(0);
    body.Varint(1);
    body.U8(0x78);  // data alignment -8
    body.U8(arch_ == Arch::kX86_64 ? 16 : 30);
    if (!augmentation.empty()) {
      body.Varint(1);
      body.U8(0);  // absolute pointers
    }
    const Program initial =
        arch_ == Arch::kX86_64 ? Program{kDefCfa, 7, 8, kOffset + 16, 1} : Program{kDefCfa, 31, 0};
    for (const std::uint8_t byte : initial) body.U8(byte);
    for (const std::uint8_t byte : rules) body.U8(byte);
    Append(body);
  }

  void Fde(std::uint64_t start, std::uint64_t size, const Program& rules) {
    ByteWriter body;
    body.U32(static_cast<std::uint32_t>(bytes_.size() + 4 - cie_));
    body.U64(start);
    body.U64(size);
    body.Varint(0);
    for (const std::uint8_t byte : rules) body.U8(byte);
    table_.push_back(static_cast<std::int32_t>(start));
    table_.push_back(static_cast<std::int32_t>(kAddress + bytes_.size()));
    Append(body);
  }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] walk::ModuleCfi Cfi() const {
    walk::ModuleCfi cfi;
    cfi.arch = arch_;
    cfi.frame_address = kAddress;
    cfi.frame = bytes_;
    cfi.table = std::as_bytes(std::span(table_));
    return cfi;
  }

 private:
  void Append(ByteWriter& body) {
    while (body.size() % 4 != 0) body.U8(0);
    ByteWriter entry;
    entry.U32(static_cast<std::uint32_t>(body.size()));
    entry.Bytes(body.bytes());
    bytes_.insert(bytes_.end(), entry.bytes().begin(), entry.bytes().end());
  }

  Arch arch_;
  std::vector<std::byte> bytes_;
  std::vector<std::int32_t> table_;  // relative to address 0
  std::size_t cie_ = 0;
};

}  // namespace prof::unwind
