// Finding and reading the entries of .eh_frame (LSB 5.0, 10.6).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "prof/base/byte_reader.h"
#include "prof/unwind/arch.h"

namespace prof::unwind::walk {

// One section of unwind information of a module. Borrows everything.
struct ModuleCfi {
  Arch arch = kHostArch;            // of the module's code
  std::uint64_t frame_address = 0;  // of .eh_frame, as the file states it
  std::span<const std::byte> frame;
  std::uint64_t table_base = 0;      // what the table's offsets are relative to
  std::span<const std::byte> table;  // rows of two signed 32-bit offsets: code, entry; by code
  std::uint64_t table_address = 0;   // a file address, for readers that go by addresses
  const ModuleCfi* next = nullptr;   // another section, for code this one does not cover
};

// A common information entry, as far as rules depend on it.
struct Cie {
  std::uint64_t code_alignment = 0;
  std::int64_t data_alignment = 0;
  std::uint64_t return_column = 0;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation_data = false;
  bool signal_frame = false;
  std::span<const std::byte> program;
};

// A frame description entry: the code it covers and its program.
struct Fde {
  Cie cie;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::span<const std::byte> program;
  std::uint64_t program_address = 0;
};

enum class EntryKind : std::uint8_t { kFde, kCie, kEndOfEntries, kBad };

// Reads the entry at `offset`; `fde` is filled for kFde only. `next` becomes the offset behind the
// entry, except for kEndOfEntries; after kBad it is 0 if the length itself was bad.
EntryKind ReadEntry(const ModuleCfi& cfi, std::uint64_t offset, Fde& fde, std::uint64_t& next);

// The offset of the only entry of this section that can cover `address`.
std::optional<std::uint64_t> FindEntry(const ModuleCfi& cfi, std::uint64_t address);

// A pointer in one of the DW_EH_PE encodings that can be in .eh_frame of x86-64 and aarch64; the
// reader fails for others. `address` is that of the pointer itself.
std::uint64_t ReadPointer(ByteReader& reader, std::uint8_t encoding, std::uint64_t address);

}  // namespace prof::unwind::walk
