// Lists the units of a file and loads those that are asked for.
#include "symbols/dwarf/dwarf_file.h"

#include <algorithm>
#include <utility>

namespace prof::symbols {
namespace {

bool IsReadable(const UnitHeader& header) {
  const auto& sizes = header.sizes;
  return sizes.version >= 2 && sizes.version <= 5 &&
         (sizes.address_bytes == 4 || sizes.address_bytes == 8) && header.entries < header.end;
}

}  // namespace

Result<std::unique_ptr<DwarfFile>> DwarfFile::Open(const ElfFile& elf, Kind kind,
                                                   const DwarfFile* alternate) {
  auto sections = DebugSections::Load(elf, kind == Kind::kSplit);
  if (!sections) return std::unexpected(sections.error());
  std::unique_ptr<DwarfFile> file(new DwarfFile(std::move(*sections)));
  file->alternate_ = alternate;
  const auto info = file->sections_[DebugSection::kInfo];
  for (std::uint64_t offset = 0; offset < info.size();) {
    const auto header = ReadUnitHeader(info, offset);
    if (!header) {
      file->headers_complete_ = false;
      break;
    }
    // Units of later versions are passed over; their size is where it always was.
    if (IsReadable(*header)) file->headers_.push_back(*header);
    offset = header->end;
  }
  return file;
}

const UnitHeader* DwarfFile::HeaderContaining(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(headers_, offset, {}, &UnitHeader::offset);
  if (after == headers_.begin() || offset >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

const Unit* DwarfFile::UnitAt(std::uint64_t offset) const {
  const UnitHeader* header = HeaderContaining(offset);
  return header == nullptr || header->offset != offset ? nullptr : Load(*header, {}, nullptr);
}

const Unit* DwarfFile::UnitContaining(std::uint64_t offset) const {
  const UnitHeader* header = HeaderContaining(offset);
  return header == nullptr || offset < header->entries ? nullptr : Load(*header, {}, nullptr);
}

std::uint64_t DwarfFile::SplitId(const UnitHeader& header) const {
  if (header.sizes.version >= 5) return header.split_id;
  const std::lock_guard lock(mutex_);
  const Abbreviations& table = AbbreviationsAt(header.abbreviations, header.sizes);
  return Unit(*this, header, table, {}, nullptr).split_id();
}

const Unit* DwarfFile::SplitUnitAt(std::uint64_t offset, const Contributions& part,
                                   const Unit& skeleton) const {
  const UnitHeader* header = HeaderContaining(offset);
  return header == nullptr || header->offset != offset ? nullptr : Load(*header, part, &skeleton);
}

const Unit* DwarfFile::Load(const UnitHeader& header, const Contributions& part,
                            const Unit* skeleton) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Unit>& slot = units_[header.offset];
  if (slot == nullptr) {
    const Abbreviations& table =
        AbbreviationsAt(header.abbreviations + part.abbreviations, header.sizes);
    slot = std::make_unique<Unit>(*this, header, table, part, skeleton);
  }
  return slot.get();
}

const Abbreviations& DwarfFile::AbbreviationsAt(std::uint64_t offset,
                                                const UnitSizes& sizes) const {
  auto& tables = tables_[offset];
  for (const auto& loaded : tables) {
    if (loaded->sizes == sizes) return loaded->table;
  }
  tables.push_back(std::make_unique<LoadedTable>(
      sizes, Abbreviations::Read(sections_[DebugSection::kAbbrev], offset, sizes)));
  return tables.back()->table;
}

}  // namespace prof::symbols
