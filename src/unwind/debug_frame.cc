// Rewrites the entries of .debug_frame; trusts no length and no offset.
#include "unwind/debug_frame.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>

#include "prof/base/byte_reader.h"
#include "prof/base/byte_writer.h"

namespace prof::unwind {

namespace {

constexpr std::uint64_t kCieId = 0xffffffff;
constexpr std::uint64_t kCieId64 = ~std::uint64_t{0};

// An entry behind its length field.
struct Entry {
  std::uint64_t id = 0;  // of a CIE: one of the above, of an FDE: the offset of its CIE
  bool is_cie = false;
  std::span<const std::byte> contents;
};

// Moves `reader` behind the entry; false at the end of all that can be read.
bool NextEntry(ByteReader& reader, Entry& entry) {
  std::uint64_t length = reader.U32();
  const bool is_64_bit = length == 0xffffffff;
  if (is_64_bit) length = reader.U64();
  const auto body = reader.Bytes(length);
  if (!reader.ok()) return false;
  ByteReader fields(body);
  entry.id = is_64_bit ? fields.U64() : fields.U32();
  entry.is_cie = fields.ok() && entry.id == (is_64_bit ? kCieId64 : kCieId);
  entry.contents = fields.Bytes(fields.remaining());
  return true;
}

void AppendEntry(const ByteWriter& body, ByteWriter& out) {
  const std::size_t padding = (4 - body.size() % 4) % 4;
  out.U32(static_cast<std::uint32_t>(body.size() + padding));
  out.Bytes(body.bytes());
  for (std::size_t i = 0; i < padding; ++i) out.U8(0);  // DW_CFA_nop
}

std::string_view ReadString(ByteReader& reader, std::span<const std::byte> contents) {
  const auto* start = reinterpret_cast<const char*>(contents.data() + reader.position());
  const std::string_view text(start, ::strnlen(start, reader.remaining()));
  reader.Skip(text.size() + 1);
  return text;
}

bool AppendCie(std::span<const std::byte> contents, ByteWriter& out) {
  ByteReader reader(contents);
  const std::uint8_t version = reader.U8();
  if (version != 1 && version != 3 && version != 4) return false;
  const std::string_view augmentation = ReadString(reader, contents);
  if (version == 4) {
    const std::uint8_t address_size = reader.U8();
    const std::uint8_t segment_size = reader.U8();
    if (address_size != 8 || segment_size != 0) return false;
  }
  const std::size_t alignments = reader.position();
  reader.Varint();
  reader.SignedLeb();
  const std::size_t alignments_end = reader.position();
  const std::uint64_t return_column = version == 1 ? reader.U8() : reader.Varint();
  if (!reader.ok()) return false;
  // Assemblers write S for a signal frame and B for signed return addresses, without data.
  if (augmentation.find_first_not_of("SB") != std::string_view::npos) return false;
  ByteWriter body;
  body.U32(0);
  body.U8(3);
  for (const char letter : {'z', 'R'}) body.U8(static_cast<std::uint8_t>(letter));
  for (const char letter : augmentation) body.U8(static_cast<std::uint8_t>(letter));
  body.U8(0);
  body.Bytes(contents.subspan(alignments, alignments_end - alignments));
  body.Varint(return_column);
  body.Varint(1);
  body.U8(0x1c);  // DW_EH_PE_pcrel | DW_EH_PE_sdata8
  body.Bytes(contents.subspan(reader.position()));
  AppendEntry(body, out);
  return true;
}

void AppendFde(std::uint64_t cie, std::span<const std::byte> contents, std::uint64_t address,
               ByteWriter& out) {
  ByteReader reader(contents);
  const std::uint64_t start = reader.U64();
  const std::uint64_t size = reader.U64();
  if (!reader.ok() || start <= 1 || size == 0) return;
  ByteWriter body;
  body.U32(static_cast<std::uint32_t>(out.size() + sizeof(std::uint32_t) - cie));
  body.U64(start - (address + out.size() + 2 * sizeof(std::uint32_t)));
  body.U64(size);
  body.Varint(0);
  body.Bytes(contents.subspan(reader.position()));
  AppendEntry(body, out);
}

}  // namespace

std::vector<std::byte> EhFrameFromDebugFrame(std::span<const std::byte> section,
                                             std::uint64_t address) {
  ByteWriter out;
  std::map<std::uint64_t, std::uint64_t> cies;  // where they were and are
  Entry entry;
  for (const bool take_cies : {true, false}) {
    ByteReader reader(section);
    std::uint64_t offset = 0;
    while (reader.remaining() > 0 && NextEntry(reader, entry)) {
      const std::uint64_t here = out.size();
      if (take_cies && entry.is_cie && AppendCie(entry.contents, out)) cies[offset] = here;
      if (!take_cies && !entry.is_cie) {
        const auto cie = cies.find(entry.id);
        if (cie != cies.end()) AppendFde(cie->second, entry.contents, address, out);
      }
      offset = reader.position();
    }
  }
  return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace prof::unwind
