// Reads program headers, notes and unwind sections of ELF files that may be damaged or cut short.
#include "prof/unwind/elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "prof/base/byte_reader.h"

namespace prof::unwind {

namespace {

using model::FileAddr;
using model::FileOffset;

// A structure of <elf.h> at `offset`; nothing when it is not wholly inside `bytes`.
template <class T>
std::optional<T> StructAt(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The zero-terminated string at `offset`; empty when it does not end inside `bytes`.
std::string_view StringAt(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto tail = bytes.subspan(offset);
  const auto end = std::ranges::find(tail, std::byte{0});
  if (end == tail.end()) return {};
  return {reinterpret_cast<const char*>(tail.data()), static_cast<std::size_t>(end - tail.begin())};
}

// gABI: an Elf64_Chdr comes first.
CompressedSection CompressedByHeader(std::span<const std::byte> section) {
  const auto header = StructAt<Elf64_Chdr>(section, 0);
  constexpr std::uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, which older <elf.h> lacks
  if (!header || (header->ch_type != ELFCOMPRESS_ZLIB && header->ch_type != kZstd)) return {};
  using Method = CompressedSection::Method;
  return {header->ch_type == kZstd ? Method::kZstd : Method::kZlib, header->ch_size,
          section.subspan(sizeof(Elf64_Chdr))};
}

// Before the gABI had compression: "ZLIB", then the size in eight bytes, most significant first.
CompressedSection CompressedByName(std::span<const std::byte> section) {
  constexpr std::string_view kMagic = "ZLIB";
  ByteReader reader(section);
  const auto magic = reader.Bytes(kMagic.size());
  const std::uint64_t size = __builtin_bswap64(reader.U64());
  if (!reader.ok() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) return {};
  return {CompressedSection::Method::kZlib, size, section.subspan(reader.position())};
}

}  // namespace

Result<std::unique_ptr<ElfImage>> ElfImage::FromFile(MappedFile file, const std::string& name) {
  std::unique_ptr<ElfImage> image(new ElfImage);
  image->file_ = std::move(file);
  image->bytes_ = image->file_.bytes();
  return Parse(std::move(image), name);
}

Result<std::unique_ptr<ElfImage>> ElfImage::FromMemory(std::span<const std::byte> bytes,
                                                       const std::string& name) {
  std::unique_ptr<ElfImage> image(new ElfImage);
  image->bytes_ = bytes;
  return Parse(std::move(image), name);
}

Result<std::unique_ptr<ElfImage>> ElfImage::Parse(std::unique_ptr<ElfImage> image,
                                                  const std::string& name) {
  const auto bytes = image->bytes_;
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return Fail(ErrorKind::kBadData, name + ": not an ELF file");
  }
  const bool is_32_bit =
      bytes.size() > EI_DATA && std::to_integer<int>(bytes[EI_CLASS]) == ELFCLASS32;
  if (bytes.size() > EI_DATA &&
      ((!is_32_bit && std::to_integer<int>(bytes[EI_CLASS]) != ELFCLASS64) ||
       std::to_integer<int>(bytes[EI_DATA]) != ELFDATA2LSB)) {
    return Fail(ErrorKind::kUnsupported, name + ": not a little-endian ELF file");
  }
  if (is_32_bit) {
    PROF_TRY((image->ReadHeaders<Elf32_Ehdr, Elf32_Phdr>(name)));
    image->eh_frame_hdr_ = {};  // no 32-bit code is unwound
    return image;
  }
  PROF_TRY((image->ReadHeaders<Elf64_Ehdr, Elf64_Phdr>(name)));
  const auto header = StructAt<Elf64_Ehdr>(bytes, 0);
  if (header->e_shentsize == sizeof(Elf64_Shdr)) {
    image->ReadSections(header->e_shoff, header->e_shnum, header->e_shstrndx);
  }
  if (image->eh_frame_.empty()) image->FindEhFrameThroughHeader();
  return image;
}

template <class FileHeader, class ProgramHeader>
Status ElfImage::ReadHeaders(const std::string& name) {
  const auto header = StructAt<FileHeader>(bytes_, 0);
  if (!header) return Fail(ErrorKind::kBadData, name + ": the ELF header is cut short");
  machine_ = header->e_machine;
  entry_ = FileAddr{header->e_entry};
  if (header->e_phnum != 0 && header->e_phentsize != sizeof(ProgramHeader)) {
    return Fail(ErrorKind::kBadData, name + ": program headers of an unknown size");
  }
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment =
        StructAt<ProgramHeader>(bytes_, header->e_phoff + i * sizeof(ProgramHeader));
    if (!segment) break;
    const auto data = FileBytes(segment->p_offset, segment->p_filesz);
    if (segment->p_type == PT_LOAD && !data.empty()) {
      segments_.push_back({FileOffset{segment->p_offset}, FileAddr{segment->p_vaddr}, data.size(),
                           (segment->p_flags & PF_X) != 0});
    } else if (segment->p_type == PT_NOTE) {
      ReadBuildId(data, segment->p_align);
    } else if (segment->p_type == PT_GNU_EH_FRAME) {
      eh_frame_hdr_ = {FileAddr{segment->p_vaddr}, data};
    }
  }
  return {};
}

// What the file has of [offset, offset + size).
std::span<const std::byte> ElfImage::FileBytes(std::uint64_t offset, std::uint64_t size) const {
  if (offset >= bytes_.size()) return {};
  return bytes_.subspan(offset, std::min<std::uint64_t>(size, bytes_.size() - offset));
}

// A note is Elf64_Nhdr, name, descriptor; both padded to the alignment of the segment (4 or 8).
void ElfImage::ReadBuildId(std::span<const std::byte> notes, std::uint64_t alignment) {
  const std::uint64_t align = alignment == 8 ? 8 : 4;
  std::uint64_t offset = 0;
  while (build_id_.empty()) {
    const auto note = StructAt<Elf64_Nhdr>(notes, offset);
    if (!note) return;
    const auto padded = [align](std::uint64_t size) { return (size + align - 1) & ~(align - 1); };
    const std::uint64_t name = offset + sizeof(Elf64_Nhdr);
    const std::uint64_t descriptor = padded(name + note->n_namesz);
    if (descriptor > notes.size() || notes.size() - descriptor < note->n_descsz) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
        std::memcmp(notes.data() + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
      build_id_ = model::BuildId(notes.subspan(descriptor, note->n_descsz));
    }
    offset = padded(descriptor + note->n_descsz);
  }
}

void ElfImage::ReadSections(std::uint64_t offset, std::uint64_t count, std::uint64_t name_index) {
  // Elf(5): with 0xff00 sections or more, both numbers are in the first section header.
  const auto first = StructAt<Elf64_Shdr>(bytes_, offset);
  if (offset == 0 || !first) return;
  if (count == 0) count = first->sh_size;
  if (name_index == SHN_XINDEX) name_index = first->sh_link;
  count = std::min<std::uint64_t>(count, bytes_.size() / sizeof(Elf64_Shdr));
  if (name_index >= count) return;
  const auto at = [&](std::uint64_t i) {
    return StructAt<Elf64_Shdr>(bytes_, offset + i * sizeof(Elf64_Shdr));
  };
  const auto names_header = at(name_index);
  if (!names_header) return;
  const auto names = FileBytes(names_header->sh_offset, names_header->sh_size);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto section = at(i);
    if (!section) return;
    // In a file of detached debug information the unwind sections have no bytes (SHT_NOBITS).
    if (section->sh_type == SHT_NOBITS) continue;
    const std::string_view name = StringAt(names, section->sh_name);
    const ElfRange range{FileAddr{section->sh_addr},
                         FileBytes(section->sh_offset, section->sh_size)};
    if (name == ".zdebug_frame") compressed_debug_frame_ = CompressedByName(range.bytes);
    if ((section->sh_flags & SHF_COMPRESSED) != 0) {
      if (name == ".debug_frame") compressed_debug_frame_ = CompressedByHeader(range.bytes);
      continue;
    }
    if (name == ".eh_frame") eh_frame_ = range;
    if (name == ".debug_frame") debug_frame_ = range;
    if (name == ".eh_frame_hdr" && eh_frame_hdr_.empty()) eh_frame_hdr_ = range;
    if (section->sh_type == SHT_NOTE) ReadBuildId(range.bytes, section->sh_addralign);
  }
}

// LSB 5.0, 10.6.2: version 1, three encodings, then the pointer to .eh_frame, in practice always
// relative to itself with 32 signed bits (0x1b).
void ElfImage::FindEhFrameThroughHeader() {
  ByteReader reader(eh_frame_hdr_.bytes);
  const std::uint8_t version = reader.U8();
  const std::uint8_t encoding = reader.U8();
  reader.Skip(2);
  const auto relative = static_cast<std::int32_t>(reader.U32());
  if (!reader.ok() || version != 1 || encoding != 0x1b) return;
  const FileAddr address =
      eh_frame_hdr_.address + 4 + static_cast<std::uint64_t>(std::int64_t{relative});
  for (const Segment& segment : segments_) {
    const std::uint64_t skip = address - segment.address;
    if (address < segment.address || skip >= segment.file_size) continue;
    eh_frame_ = {address, FileBytes(segment.offset.value + skip, segment.file_size - skip)};
    return;
  }
}

const ElfImage::Segment* ElfImage::SegmentAt(FileOffset offset) const {
  const Segment* found = nullptr;
  for (const Segment& segment : segments_) {
    if (offset < segment.offset || offset - segment.offset >= segment.file_size) continue;
    if (segment.executable) return &segment;
    if (found == nullptr) found = &segment;
  }
  return found;
}

std::optional<FileAddr> ElfImage::ToFileAddr(FileOffset offset) const {
  const Segment* segment = SegmentAt(offset);
  if (segment == nullptr) return std::nullopt;
  return segment->address + (offset - segment->offset);
}

std::pair<FileAddr, FileAddr> ElfImage::Extent() const {
  if (segments_.empty()) return {};
  FileAddr low{~std::uint64_t{0}};
  FileAddr high{0};
  for (const Segment& segment : segments_) {
    low = std::min(low, segment.address);
    high = std::max(high, segment.address + segment.file_size);
  }
  return {low, high};
}

std::span<const std::byte> ElfImage::BytesAt(FileAddr address, std::size_t size) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t skip = address - segment.address;
    if (address < segment.address || skip >= segment.file_size) continue;
    if (segment.file_size - skip < size) continue;
    return bytes_.subspan(segment.offset.value + skip, size);
  }
  return {};
}

}  // namespace prof::unwind
