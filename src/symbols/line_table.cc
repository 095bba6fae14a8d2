// Reads the header of a line table: its folders and files.
#include "symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "symbols/line_program.h"

namespace prof::symbols {
namespace {

// Real tables have thousands; a broken count must not allocate much.
constexpr std::uint64_t kMaxNames = 1 << 20;

std::string_view TakeString(ByteReader& reader, std::span<const std::byte> all) {
  const auto rest = all.subspan(reader.position());
  const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
  if (!reader.ok() || end == nullptr) {
    reader.Failed();
    return {};
  }
  const auto* begin = reinterpret_cast<const char*>(rest.data());
  const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
  reader.Skip(size + 1);
  return {begin, size};
}

std::string_view StringAt(std::span<const std::byte> section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  ByteReader reader(section);
  reader.Skip(offset);
  return TakeString(reader, section);
}

struct FormValue {
  std::string_view text;
  std::uint64_t number = 0;
};

// The forms that DWARF 5 allows in tables of folders and files; `reader` runs over sections.line.
FormValue ReadForm(ByteReader& reader, const LineSections& sections, std::uint64_t form,
                   bool offsets_64_bit) {
  const auto offset = [&] { return offsets_64_bit ? reader.U64() : reader.U32(); };
  const auto text = [](std::string_view value) { return FormValue{value, 0}; };
  const auto number = [](std::uint64_t value) { return FormValue{{}, value}; };
  switch (form) {
    case DW_FORM_string:
      return text(TakeString(reader, sections.line));
    case DW_FORM_line_strp:
      return text(StringAt(sections.line_strings, offset()));
    case DW_FORM_strp:
      return text(StringAt(sections.strings, offset()));
    case DW_FORM_udata:
      return number(reader.Varint());
    case DW_FORM_data1:
      return number(reader.U8());
    case DW_FORM_data2:
      return number(reader.U16());
    case DW_FORM_data4:
      return number(reader.U32());
    case DW_FORM_data8:
      return number(reader.U64());
    case DW_FORM_data16:  // MD5
      reader.Skip(16);
      return {};
    case DW_FORM_block:
      reader.Skip(reader.Varint());
      return {};
    default:
      reader.Failed();
      return {};
  }
}

std::span<const std::byte> Inflated(const ElfFile& file, const std::string& name) {
  const ElfSection* section = file.Find("." + name);
  if (section == nullptr) section = file.Find(".z" + name);
  const Elf_Data* data = section == nullptr ? nullptr : ::elf_getdata(section->scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

}  // namespace

LineSections LineSections::Of(const ElfFile& file) {
  return {Inflated(file, "debug_line"), Inflated(file, "debug_line_str"),
          Inflated(file, "debug_str")};
}

LineTable::LineTable(const LineSections& sections, Dwarf_Die unit) : sections_(sections) {
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (::dwarf_attr(&unit, DW_AT_stmt_list, &attribute) == nullptr ||
      ::dwarf_formudata(&attribute, &offset) != 0 || offset >= sections.line.size()) {
    return;
  }
  const char* folder = ::dwarf_formstring(::dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  const std::string_view unit_folder = folder == nullptr ? "" : folder;
  if (unit_folder.starts_with('/')) unit_folder_ = unit_folder;
  sections_.line = sections.line.subspan(static_cast<std::size_t>(offset));
  if (!ReadHeader(ByteReader(sections_.line), unit_folder)) {
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
    const std::string_view folder = TakeString(reader, sections_.line);
    if (folder.empty()) break;
    folders_.push_back(folder);
  }
  files_.emplace_back();
  for (;;) {
    const std::string_view name = TakeString(reader, sections_.line);
    if (name.empty()) break;
    files_.push_back({name, reader.Varint()});
    reader.Varint();  // time of modification
    reader.Varint();  // size
  }
}

void LineTable::ReadNames5(ByteReader& reader, bool folders) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format(reader.U8());
  for (auto& [content, form] : format) {
    content = reader.Varint();
    form = reader.Varint();
  }
  const std::uint64_t count = reader.Varint();
  if (count > kMaxNames || (format.empty() && count > 0)) reader.Failed();
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    File file;
    for (const auto& [content, form] : format) {
      const FormValue value = ReadForm(reader, sections_, form, offsets_64_bit_);
      if (content == DW_LNCT_path) file.name = value.text;
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

std::vector<SourceLine> LineTable::Find(std::span<const std::uint64_t> addresses) const {
  const LineProgram program{.bytes = program_,
                            .instruction_bytes = instruction_bytes_,
                            .line_base = line_base_,
                            .line_range = line_range_,
                            .operand_counts = operand_counts_};
  std::vector<SourceLine> lines;
  lines.reserve(addresses.size());
  for (const LineRow& row : program.Run(addresses)) {
    lines.push_back({FileName(row.file), row.line});
  }
  return lines;
}

}  // namespace prof::symbols
