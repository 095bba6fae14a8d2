// Reads CIEs, FDEs and the search table of .eh_frame; trusts no length and no offset.
#include "unwind/walk/frame_entry.h"

#include <cstring>

namespace prof::unwind::walk {

namespace {

// LSB 5.0, 10.5.1.
constexpr std::uint8_t kEncodingFormat = 0x0f;
constexpr std::uint8_t kEncodingRelation = 0x70;
constexpr std::uint8_t kRelativeToItself = 0x10;
constexpr std::uint8_t kIndirect = 0x80;

std::uint64_t ReadFormat(ByteReader& reader, std::uint8_t format) {
  const auto extended = [](auto value) { return static_cast<std::uint64_t>(std::int64_t{value}); };
  switch (format) {
    case 0x00:
    case 0x04:
    case 0x0c:
      return reader.U64();
    case 0x01:
      return reader.Varint();
    case 0x02:
      return reader.U16();
    case 0x03:
      return reader.U32();
    case 0x09:
      return static_cast<std::uint64_t>(reader.SignedLeb());
    case 0x0a:
      return extended(static_cast<std::int16_t>(reader.U16()));
    case 0x0b:
      return extended(static_cast<std::int32_t>(reader.U32()));
    default:
      return reader.Failed();
  }
}

// An entry's contents behind its length and id fields.
struct Entry {
  std::uint64_t id_offset = 0;  // of the id field in the section
  std::uint32_t id = 0;
  std::span<const std::byte> contents;
  std::uint64_t contents_offset = 0;
  std::uint64_t next = 0;
};

EntryKind ReadFraming(std::span<const std::byte> section, std::uint64_t offset, Entry& entry) {
  entry = Entry{};
  if (offset >= section.size()) return EntryKind::kEndOfEntries;
  ByteReader reader(section.subspan(offset));
  std::uint64_t length = reader.U32();
  if (!reader.ok() || length == 0) return EntryKind::kEndOfEntries;
  if (length == 0xffffffff) length = reader.U64();
  const std::uint64_t start = offset + reader.position();
  const auto body = reader.Bytes(length);
  if (!reader.ok() || body.size() < sizeof(entry.id)) return EntryKind::kBad;
  std::memcpy(&entry.id, body.data(), sizeof(entry.id));
  entry.id_offset = start;
  entry.contents = body.subspan(sizeof(entry.id));
  entry.contents_offset = start + sizeof(entry.id);
  entry.next = start + length;
  return entry.id == 0 ? EntryKind::kCie : EntryKind::kFde;
}

std::string_view ReadAugmentation(ByteReader& reader, std::span<const std::byte> contents) {
  const auto rest = contents.subspan(reader.position());
  std::size_t length = 0;
  while (length < rest.size() && rest[length] != std::byte{0}) ++length;
  reader.Skip(length + 1);
  return {reinterpret_cast<const char*>(rest.data()), length};
}

bool ReadCie(const ModuleCfi& cfi, std::uint64_t offset, Cie& cie) {
  Entry entry;
  if (ReadFraming(cfi.frame, offset, entry) != EntryKind::kCie) return false;
  ByteReader reader(entry.contents);
  const std::uint8_t version = reader.U8();
  if (version != 1 && version != 3) return false;
  const std::string_view augmentation = ReadAugmentation(reader, entry.contents);
  cie.code_alignment = reader.Varint();
  cie.data_alignment = reader.SignedLeb();
  cie.return_column = version == 1 ? reader.U8() : reader.Varint();
  if (!reader.ok()) return false;
  std::uint64_t program = reader.position();
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return false;
    cie.has_augmentation_data = true;
    const std::uint64_t size = reader.Varint();
    program = reader.position() + size;
    if (!reader.ok() || size > reader.remaining()) return false;
  }
  for (const char letter : augmentation) {
    if (letter == 'R') cie.pointer_encoding = reader.U8();
    if (letter == 'L') reader.Skip(1);
    if (letter == 'S') cie.signal_frame = true;
    if (letter == 'P') ReadFormat(reader, reader.U8() & kEncodingFormat);
    // Letters behind an unknown one have their data at an unknown place.
    if (std::string_view("zRLSPB").find(letter) == std::string_view::npos) return false;
  }
  if (!reader.ok()) return false;
  cie.program = entry.contents.subspan(program);
  return true;
}

std::int32_t TableOffset(std::span<const std::byte> table, std::size_t index) {
  std::int32_t offset = 0;
  std::memcpy(&offset, table.data() + index * sizeof(offset), sizeof(offset));
  return offset;
}

}  // namespace

std::uint64_t ReadPointer(ByteReader& reader, std::uint8_t encoding, std::uint64_t address) {
  const std::uint8_t relation = encoding & kEncodingRelation;
  if ((encoding & kIndirect) != 0 || (relation != 0 && relation != kRelativeToItself)) {
    return reader.Failed();
  }
  const std::uint64_t value = ReadFormat(reader, encoding & kEncodingFormat);
  return relation == kRelativeToItself ? value + address : value;
}

EntryKind ReadEntry(const ModuleCfi& cfi, std::uint64_t offset, Fde& fde, std::uint64_t& next) {
  Entry entry;
  const EntryKind kind = ReadFraming(cfi.frame, offset, entry);
  next = entry.next;
  if (kind != EntryKind::kFde) return kind;
  // The id of an FDE is the distance back to its CIE.
  if (entry.id > entry.id_offset || !ReadCie(cfi, entry.id_offset - entry.id, fde.cie)) {
    return EntryKind::kBad;
  }
  ByteReader reader(entry.contents);
  fde.start =
      ReadPointer(reader, fde.cie.pointer_encoding, cfi.frame_address + entry.contents_offset);
  fde.end = fde.start + ReadFormat(reader, fde.cie.pointer_encoding & kEncodingFormat);
  if (fde.cie.has_augmentation_data) reader.Skip(reader.Varint());
  if (!reader.ok() || fde.end < fde.start) return EntryKind::kBad;
  fde.program = entry.contents.subspan(reader.position());
  fde.program_address = cfi.frame_address + entry.contents_offset + reader.position();
  return EntryKind::kFde;
}

std::optional<std::uint64_t> FindEntry(const ModuleCfi& cfi, std::uint64_t address) {
  const auto code_at = [&cfi](std::size_t row) {
    return cfi.table_base +
           static_cast<std::uint64_t>(std::int64_t{TableOffset(cfi.table, 2 * row)});
  };
  // The last row that does not begin behind the address.
  std::size_t low = 0;
  std::size_t high = cfi.table.size() / 8;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (code_at(middle) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return std::nullopt;
  const std::int64_t relative = TableOffset(cfi.table, 2 * low - 1);
  const std::uint64_t entry = cfi.table_base + static_cast<std::uint64_t>(relative);
  if (entry < cfi.frame_address) return std::nullopt;
  return entry - cfi.frame_address;
}

}  // namespace prof::unwind::walk
