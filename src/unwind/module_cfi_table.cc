// Prepares unwind sections for lookups: their search table, or one of our own where that is
// missing.
#include "unwind/module_cfi_table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "unwind/debug_frame.h"
#include "unwind/inflate_section.h"

#include "prof/base/byte_reader.h"

namespace prof::unwind {

namespace {

// Rows of a search table relative to `cfi.table_base`. Entries too far from it are left out.
std::vector<std::byte> MakeTable(const walk::ModuleCfi& cfi) {
  struct Row {
    std::int32_t code, entry;
  };
  std::vector<Row> rows;
  const auto narrow = [&cfi](std::uint64_t address, std::int32_t& offset) {
    const auto wide = static_cast<std::int64_t>(address - cfi.table_base);
    offset = static_cast<std::int32_t>(wide);
    return offset == wide;
  };
  std::uint64_t offset = 0;
  while (true) {
    walk::Fde fde;
    std::uint64_t next = 0;
    const walk::EntryKind kind = walk::ReadEntry(cfi, offset, fde, next);
    if (kind == walk::EntryKind::kEndOfEntries || next <= offset) break;
    Row row{};
    if (kind == walk::EntryKind::kFde && fde.start != fde.end && narrow(fde.start, row.code) &&
        narrow(cfi.frame_address + offset, row.entry)) {
      rows.push_back(row);
    }
    offset = next;
  }
  std::ranges::sort(rows, {}, &Row::code);
  const auto bytes = std::as_bytes(std::span(rows));
  return {bytes.begin(), bytes.end()};
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

void ModuleCfiTable::Prepare(const ElfImage& image, Prepared& prepared) {
  const auto arch = ArchOfMachine(image.machine());
  if (!arch) return;
  // Below the image, so that tables with 32-bit offsets from between the two reach both.
  constexpr std::uint64_t kReach = std::uint64_t{1} << 30;
  const std::uint64_t base = image.Extent().first.value - kReach;
  prepared.made.address = {base - kReach};
  auto& made = prepared.made_bytes;
  const auto append = [&made](std::span<const std::byte> bytes) {
    made.resize((made.size() + 7) / 8 * 8);  // libunwind reads aligned words
    made.insert(made.end(), bytes.begin(), bytes.end());
    return made.size() - bytes.size();
  };

  walk::ModuleCfi& debug = prepared.debug_frame;
  const auto inflated = Inflate(image.compressed_debug_frame());
  const auto debug_bytes =
      EhFrameFromDebugFrame(inflated.empty() ? image.debug_frame().bytes : std::span(inflated),
                            prepared.made.address.value);
  debug = {.arch = *arch, .frame_address = prepared.made.address.value, .table_base = base};
  debug.frame = debug_bytes;
  append(debug_bytes);
  const auto debug_table = MakeTable(debug);
  const std::size_t debug_table_offset = append(debug_table);

  walk::ModuleCfi& eh = prepared.eh_frame;
  const ElfRange& header = image.eh_frame_hdr();
  eh = {.arch = *arch, .frame_address = image.eh_frame().address.value, .table_base = base};
  eh.frame = image.eh_frame().bytes;
  eh.table = SearchTable(header);
  std::size_t eh_table_size = 0;
  if (!eh.table.empty()) {
    eh.table_base = header.address.value;
    eh.table_address =
        header.address.value + static_cast<std::uint64_t>(eh.table.data() - header.bytes.data());
  } else {
    const auto eh_table = MakeTable(eh);
    eh_table_size = eh_table.size();
    eh.table_address = prepared.made.address.value + append(eh_table);
  }

  // From here on what was made stays where it is.
  prepared.made.bytes = made;
  const std::span<const std::byte> all = made;
  debug.frame = all.first(debug_bytes.size());
  debug.table = all.subspan(debug_table_offset, debug_table.size());
  debug.table_address = prepared.made.address.value + debug_table_offset;
  if (eh_table_size != 0) eh.table = all.last(eh_table_size);
  if (!debug.table.empty()) prepared.first = &debug;
  if (!eh.table.empty()) {
    eh.next = prepared.first;
    prepared.first = &eh;
  }
}

const walk::ModuleCfi* ModuleCfiTable::For(model::LoadedModule module, const ElfImage& image) {
  if (module >= modules_.size()) modules_.resize(module + std::size_t{1});
  auto& prepared = modules_[module];
  if (prepared == nullptr) {
    prepared = std::make_unique<Prepared>();
    Prepare(image, *prepared);
  }
  return prepared->first;
}

ElfRange ModuleCfiTable::Made(model::LoadedModule module) const {
  if (module >= modules_.size() || modules_[module] == nullptr) return {};
  return modules_[module]->made;
}

}  // namespace prof::unwind
