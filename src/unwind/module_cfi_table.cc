// Prepares .eh_frame for lookups: its search table, or an index of our own where that is missing.
#include "unwind/module_cfi_table.h"

#include <algorithm>

#include "prof/base/byte_reader.h"

namespace prof::unwind {

namespace {

std::vector<walk::IndexedEntry> IndexEntries(const walk::ModuleCfi& cfi) {
  std::vector<walk::IndexedEntry> index;
  std::uint64_t offset = 0;
  while (true) {
    walk::Fde fde;
    std::uint64_t next = 0;
    const walk::EntryKind kind = walk::ReadEntry(cfi, offset, fde, next);
    if (kind == walk::EntryKind::kEndOfEntries || next <= offset) break;
    if (kind == walk::EntryKind::kFde && fde.start != fde.end) index.push_back({fde.start, offset});
    offset = next;
  }
  std::ranges::sort(index, {}, &walk::IndexedEntry::start);
  return index;
}

}  // namespace

// LSB 5.0, 10.6.2: version 1, .eh_frame relative to itself (0x1b), a 32-bit count (0x03), rows
// relative to the header (0x3b).
std::span<const std::byte> SearchTable(const ElfRange& header) {
  ByteReader reader(header.bytes);
  const std::uint32_t version_and_encodings = reader.U32();
  reader.Skip(4);
  const std::uint64_t count = reader.U32();
  if (!reader.ok() || version_and_encodings != 0x3b031b01) return {};
  return reader.Bytes(std::min<std::uint64_t>(count, reader.remaining() / 8) * 8);
}

const walk::ModuleCfi* ModuleCfiTable::For(model::LoadedModule module, const ElfImage& image) {
  if (module >= modules_.size()) modules_.resize(module + std::size_t{1});
  auto& prepared = modules_[module];
  if (prepared == nullptr) {
    prepared = std::make_unique<Prepared>();
    const ElfRange& frame = image.eh_frame();
    walk::ModuleCfi& cfi = prepared->cfi;
    cfi.frame_address = frame.address.value;
    cfi.frame = frame.bytes;
    cfi.table_base = image.eh_frame_hdr().address.value;
    cfi.table = SearchTable(image.eh_frame_hdr());
    if (cfi.table.empty()) prepared->index = IndexEntries(cfi);
    cfi.index = prepared->index;
    const auto arch = ArchOfMachine(image.machine());
    cfi.arch = arch.value_or(kHostArch);
    prepared->usable = !frame.empty() && arch.has_value();
  }
  return prepared->usable ? &prepared->cfi : nullptr;
}

}  // namespace prof::unwind
