// Reads unit headers and root entries, and resolves values of attributes.
#include "symbols/dwarf/unit.h"

#include <dwarf.h>

#include "symbols/dwarf/debug_sections.h"
#include "symbols/dwarf/dwarf_file.h"

namespace prof::symbols {
namespace {

std::string_view StringAt(std::span<const std::byte> section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  return ByteReader(section.subspan(static_cast<std::size_t>(offset))).CString();
}

// The number of `bytes` bytes at base + index * bytes.
std::optional<std::uint64_t> NumberAt(std::span<const std::byte> section, std::uint64_t base,
                                      std::uint64_t index, int bytes) {
  if (base > section.size() || index >= section.size()) return {};
  ByteReader reader(section.subspan(static_cast<std::size_t>(base)));
  reader.Skip(index * static_cast<std::uint64_t>(bytes));
  const std::uint64_t number = ReadFixed(reader, bytes);
  if (!reader.ok()) return {};
  return number;
}

}  // namespace

std::optional<UnitHeader> ReadUnitHeader(std::span<const std::byte> info, std::uint64_t offset) {
  if (offset >= info.size()) return {};
  ByteReader reader(info);
  reader.Skip(offset);
  UnitHeader header{.offset = offset};
  std::uint64_t size = reader.U32();
  header.sizes.offset_bytes = size == 0xffffffff ? 8 : 4;
  if (size == 0xffffffff) size = reader.U64();
  if (!reader.ok() || size > reader.remaining()) return {};
  header.end = reader.position() + size;
  header.sizes.version = reader.U16();
  header.type = DW_UT_compile;
  if (header.sizes.version >= 5) {
    header.type = reader.U8();
    header.sizes.address_bytes = reader.U8();
    header.abbreviations = ReadFixed(reader, header.sizes.offset_bytes);
    if (header.type == DW_UT_skeleton || header.type == DW_UT_split_compile) {
      header.split_id = reader.U64();
    } else if (header.type == DW_UT_type || header.type == DW_UT_split_type) {
      reader.Skip(8u + header.sizes.offset_bytes);  // signature and offset of the type
    }
  } else {
    header.abbreviations = ReadFixed(reader, header.sizes.offset_bytes);
    header.sizes.address_bytes = reader.U8();
  }
  header.entries = reader.position();
  return header;
}

Unit::Unit(const DwarfFile& file, const UnitHeader& header, const Abbreviations& abbreviations,
           const Contributions& part, const Unit* skeleton)
    : file_(&file),
      header_(header),
      abbreviations_(&abbreviations),
      part_(part),
      skeleton_(skeleton),
      info_(file.sections()[DebugSection::kInfo].first(static_cast<std::size_t>(header.end))),
      split_id_(header.split_id) {
  // Where the tables of a split unit begin is not said: behind the header of its contribution.
  const bool version5 = header.sizes.version >= 5;
  const std::uint64_t long_offsets = header.sizes.offset_bytes == 8 ? 8 : 0;
  string_offsets_ = part.string_offsets + (version5 ? 8 + long_offsets : 0);
  range_offsets_ = part.range_lists + 12 + long_offsets;
  if (skeleton != nullptr) {
    addresses_ = skeleton->addresses_;
    gnu_ranges_ = skeleton->gnu_ranges_;
    base_address_ = skeleton->base_address_;
  }
  ReadRoot();
}

void Unit::ReadRoot() {
  tag_ = TagOf({this, header_.entries});
  FormValue name, folder, split_name, line_table, language;
  ForEachAttribute({this, header_.entries}, [&](std::uint16_t attribute, const FormValue& value) {
    switch (attribute) {
      case DW_AT_name:
        name = value;
        break;
      case DW_AT_comp_dir:
        folder = value;
        break;
      case DW_AT_dwo_name:
      case DW_AT_GNU_dwo_name:
        split_name = value;
        break;
      case DW_AT_GNU_dwo_id:
        split_id_ = value.number;
        break;
      case DW_AT_language:
        language = value;
        break;
      case DW_AT_stmt_list:
        line_table = value;
        break;
      case DW_AT_low_pc:
        root_.low = value;
        break;
      case DW_AT_high_pc:
        root_.high = value;
        break;
      case DW_AT_ranges:
        root_.ranges = value;
        break;
      case DW_AT_str_offsets_base:
        string_offsets_ = value.number;
        break;
      case DW_AT_addr_base:
      case DW_AT_GNU_addr_base:
        addresses_ = value.number;
        break;
      case DW_AT_rnglists_base:
        range_offsets_ = value.number;
        break;
      case DW_AT_GNU_ranges_base:
        gnu_ranges_ = value.number;
        break;
      default:
        break;
    }
  });
  // Only now the bases are known that strings and addresses may need.
  root_.name = String(name);
  root_.folder = String(folder);
  root_.split_name = String(split_name);
  root_.language = Constant(language).value_or(0);
  root_.line_table = Constant(line_table);
  if (const auto low = Address(root_.low)) base_address_ = *low;
}

std::optional<std::uint64_t> Unit::Address(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_addr:
      return value.number;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return IndexedAddress(value.number);
    default:
      return {};
  }
}

std::optional<std::uint64_t> Unit::IndexedAddress(std::uint64_t index) const {
  // .debug_addr stays in the linked file.
  const DwarfFile& file = skeleton_ == nullptr ? *file_ : skeleton_->file();
  return NumberAt(file.sections()[DebugSection::kAddr], addresses_, index,
                  header_.sizes.address_bytes);
}

std::string_view Unit::IndexedString(std::uint64_t index) const {
  const auto offset = NumberAt(file_->sections()[DebugSection::kStrOffsets], string_offsets_, index,
                               header_.sizes.offset_bytes);
  return offset ? StringAt(file_->sections()[DebugSection::kStr], *offset) : std::string_view();
}

std::string_view Unit::String(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_string:
      return StringAt(info_, value.number);
    case DW_FORM_strp:
      return StringAt(file_->sections()[DebugSection::kStr], value.number);
    case DW_FORM_line_strp:
      return StringAt(file_->sections()[DebugSection::kLineStr], value.number);
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_strp_sup:
      return file_->alternate() == nullptr
                 ? std::string_view()
                 : StringAt(file_->alternate()->sections()[DebugSection::kStr], value.number);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
      return IndexedString(value.number);
    default:
      return {};
  }
}

std::optional<std::uint64_t> Unit::Constant(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_implicit_const:
    case DW_FORM_sec_offset:
      return value.number;
    default:
      return {};
  }
}

std::optional<Entry> Unit::Reference(const FormValue& value) const {
  switch (value.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata: {
      const std::uint64_t size = header_.end - header_.offset;
      if (value.number >= size || header_.offset + value.number < header_.entries) return {};
      return Entry{this, header_.offset + value.number};
    }
    case DW_FORM_ref_addr: {
      if (value.number >= header_.entries && value.number < header_.end) {
        return Entry{this, value.number};
      }
      const Unit* unit = file_->UnitContaining(value.number);
      if (unit == nullptr) return {};
      return Entry{unit, value.number};
    }
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8: {
      const DwarfFile* alternate = file_->alternate();
      const Unit* unit = alternate == nullptr ? nullptr : alternate->UnitContaining(value.number);
      if (unit == nullptr) return {};
      return Entry{unit, value.number};
    }
    default:
      return {};
  }
}

std::optional<Unit::RangeList> Unit::FindRangeList(const FormValue& value) const {
  const bool version5 = header_.sizes.version >= 5;
  std::uint64_t offset = value.number;
  std::span<const std::byte> section;
  if (version5) {
    section = file_->sections()[DebugSection::kRnglists];
    if (value.form == DW_FORM_rnglistx) {
      const auto listed = NumberAt(section, range_offsets_, offset, header_.sizes.offset_bytes);
      if (!listed) return {};
      offset = range_offsets_ + *listed;
    } else {
      offset += part_.range_lists;
    }
  } else {
    const DwarfFile& file = skeleton_ == nullptr ? *file_ : skeleton_->file();
    section = file.sections()[DebugSection::kRanges];
    if (skeleton_ != nullptr) offset += gnu_ranges_;
  }
  if (value.form == 0 || offset >= section.size()) return {};
  return RangeList{section.subspan(static_cast<std::size_t>(offset)), version5};
}

std::uint16_t TagOf(const Entry& entry) {
  const Unit& unit = *entry.unit;
  if (entry.offset < unit.header().entries || entry.offset >= unit.header().end) return 0;
  ByteReader reader(unit.info());
  reader.Skip(entry.offset);
  const Abbreviation* abbreviation = unit.abbreviations().Find(reader.Varint());
  return abbreviation == nullptr ? 0 : abbreviation->tag;
}

}  // namespace prof::symbols
