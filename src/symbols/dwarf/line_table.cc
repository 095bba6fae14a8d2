// Reads the header of a line table: its folders and files.
#include "symbols/dwarf/line_table.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "symbols/dwarf/debug_sections.h"
#include "symbols/dwarf/dwarf_file.h"

namespace prof::symbols {
namespace {

// Real tables have thousands; a broken count must not allocate much.
constexpr std::uint64_t kMaxNames = 1 << 20;

std::string_view StringAt(std::span<const std::byte> section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  return ByteReader(section.subspan(static_cast<std::size_t>(offset))).CString();
}

std::string_view TextOf(const FormValue& value, const LineSections& sections) {
  switch (value.form) {
    case DW_FORM_string:
      return StringAt(sections.line, value.number);
    case DW_FORM_line_strp:
      return StringAt(sections.line_strings, value.number);
    case DW_FORM_strp:
      return StringAt(sections.strings, value.number);
    default:
      return {};
  }
}

}  // namespace

LineTable::LineTable(const Unit& unit) {
  const auto offset = unit.root().line_table;
  const DebugSections& sections = unit.file().sections();
  if (!offset) return;
  sections_ = {sections[DebugSection::kLine], sections[DebugSection::kLineStr],
               sections[DebugSection::kStr]};
  const std::string_view unit_folder = unit.root().folder;
  if (unit_folder.starts_with('/')) unit_folder_ = unit_folder;
  malformed_ = *offset >= sections_.line.size();
  if (malformed_) return;
  sections_.line = sections_.line.subspan(static_cast<std::size_t>(*offset));
  if (!ReadHeader(ByteReader(sections_.line), unit_folder)) {
    malformed_ = true;
    files_.clear();
    program_ = {};
  }
}

bool LineTable::ReadHeader(ByteReader reader, std::string_view unit_folder) {
  std::uint64_t size = reader.U32();
  offsets_64_bit_ = size == 0xffffffff;
  if (offsets_64_bit_) size = reader.U64();
  if (size > reader.remaining()) return false;
  const std::size_t end = reader.position() + static_cast<std::size_t>(size);
  version_ = reader.U16();
  if (version_ < 2 || version_ > 5) return false;
  if (version_ >= 5) reader.Skip(2);  // address_size, segment_selector_size
  const std::uint64_t header_size = offsets_64_bit_ ? reader.U64() : reader.U32();
  if (header_size > reader.remaining()) return false;
  const std::size_t program = reader.position() + static_cast<std::size_t>(header_size);
  instruction_bytes_ = reader.U8();
  if (version_ >= 4) reader.Skip(1);  // maximum_operations_per_instruction, for VLIW machines
  reader.Skip(1);                     // default_is_stmt
  line_base_ = static_cast<std::int8_t>(reader.U8());
  line_range_ = reader.U8();
  const std::uint8_t opcode_base = reader.U8();
  if (!reader.ok() || line_range_ == 0 || opcode_base == 0) return false;
  for (int opcode = 1; opcode < opcode_base; ++opcode) operand_counts_.push_back(reader.U8());
  if (version_ >= 5) {
    ReadNames5(reader, true);
    ReadNames5(reader, false);
  } else {
    ReadNamesBefore5(reader, unit_folder);
  }
  if (!reader.ok() || program > end) return false;
  program_ = sections_.line.subspan(program, end - program);
  return true;
}

void LineTable::ReadNamesBefore5(ByteReader& reader, std::string_view unit_folder) {
  folders_.push_back(unit_folder);
  for (;;) {
    const std::string_view folder = reader.CString();
    if (folder.empty()) break;
    folders_.push_back(folder);
  }
  files_.emplace_back();
  for (;;) {
    const std::string_view name = reader.CString();
    if (name.empty()) break;
    files_.push_back({name, reader.Varint()});
    reader.Varint();  // time of modification
    reader.Varint();  // size
  }
}

void LineTable::ReadNames5(ByteReader& reader, bool folders) {
  const UnitSizes sizes{version_, 8, static_cast<std::uint8_t>(offsets_64_bit_ ? 8 : 4)};
  std::vector<std::pair<std::uint64_t, std::uint16_t>> format(reader.U8());
  for (auto& [content, form] : format) {
    content = reader.Varint();
    const std::uint64_t number = reader.Varint();
    form = number > 0xffff ? 0xffff : static_cast<std::uint16_t>(number);
  }
  const std::uint64_t count = reader.Varint();
  if (count > kMaxNames || (format.empty() && count > 0)) reader.Failed();
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    File file;
    for (const auto& [content, form] : format) {
      const FormValue value = ReadForm(reader, form, 0, sizes);
      if (content == DW_LNCT_path) file.name = TextOf(value, sections_);
      if (content == DW_LNCT_directory_index) file.folder = value.number;
    }
    if (folders)
      folders_.push_back(file.name);
    else
      files_.push_back(file);
  }
}

std::string LineTable::FileName(std::uint64_t index) const {
  if (index >= files_.size() || files_[index].name.empty()) return {};
  const File& file = files_[index];
  std::string path(file.name);
  if (path.starts_with('/')) return path;
  if (file.folder < folders_.size() && !folders_[file.folder].empty()) {
    path = std::string(folders_[file.folder]) + "/" + path;
  }
  if (path.starts_with('/') || unit_folder_.empty()) return path;
  return unit_folder_ + "/" + path;
}

LineProgram LineTable::Program() const {
  return {.bytes = program_,
          .instruction_bytes = instruction_bytes_,
          .line_base = line_base_,
          .line_range = line_range_,
          .operand_counts = operand_counts_};
}

std::vector<SourceLine> LineTable::Find(std::span<const std::uint64_t> addresses) const {
  std::vector<SourceLine> lines;
  lines.reserve(addresses.size());
  for (const LineRow& row : Program().Run(addresses)) {
    lines.push_back({FileName(row.file), row.line});
  }
  return lines;
}

std::vector<RowRange> LineTable::FindRanges(const std::vector<CodeRange>& wanted) const {
  return Program().RunRanges(wanted);
}

LineRow CallPosition(const Entry& inlined) {
  LineRow call{0, 0};
  ForEachAttribute(inlined, [&](std::uint16_t name, const FormValue& value) {
    if (name == DW_AT_call_file) call.file = inlined.unit->Constant(value).value_or(0);
    if (name == DW_AT_call_line) {
      call.line = static_cast<std::uint32_t>(inlined.unit->Constant(value).value_or(0));
    }
  });
  return call;
}

}  // namespace prof::symbols
