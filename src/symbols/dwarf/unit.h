// One unit of .debug_info and how its values are to be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "symbols/dwarf/abbreviations.h"
#include "symbols/dwarf/forms.h"

namespace prof::symbols {

class DwarfFile;

// DWARF 5, section 7.5.1; DWARF 2 to 4 have no type and are all kCompile or kPartial.
struct UnitHeader {
  std::uint64_t offset = 0;   // of the header in .debug_info
  std::uint64_t entries = 0;  // of the first entry
  std::uint64_t end = 0;
  std::uint64_t abbreviations = 0;  // offset in .debug_abbrev
  std::uint64_t split_id = 0;       // of skeleton and split units of DWARF 5
  std::uint8_t type = 0;            // DW_UT_*
  UnitSizes sizes;
};

// Nothing for an unknown version, a size beyond the section or address sizes other than 4 and 8.
std::optional<UnitHeader> ReadUnitHeader(std::span<const std::byte> info, std::uint64_t offset);

class Unit;

// A debug entry: the unit and the position in its .debug_info.
struct Entry {
  const Unit* unit = nullptr;
  std::uint64_t offset = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// Where a split unit finds what other units find at offsets of their own: its part of a package,
// and the tables of its skeleton. All zero for .dwo files.
struct Contributions {
  std::uint64_t abbreviations = 0;
  std::uint64_t string_offsets = 0;
  std::uint64_t range_lists = 0;
};

// What the root entry says; missing strings are empty.
struct UnitRoot {
  std::string_view name;
  std::string_view folder;      // DW_AT_comp_dir
  std::string_view split_name;  // DW_AT_dwo_name: this is a skeleton
  std::uint64_t language = 0;
  std::optional<std::uint64_t> line_table;  // DW_AT_stmt_list
  FormValue low;
  FormValue high;
  FormValue ranges;
};

// Immutable, so every thread may read it. Belongs to its DwarfFile.
class Unit {
 public:
  // `skeleton`: what a split unit belongs to, else null.
  Unit(const DwarfFile& file, const UnitHeader& header, const Abbreviations& abbreviations,
       const Contributions& part, const Unit* skeleton);

  [[nodiscard]] const DwarfFile& file() const { return *file_; }
  [[nodiscard]] const UnitHeader& header() const { return header_; }
  [[nodiscard]] const Abbreviations& abbreviations() const { return *abbreviations_; }
  [[nodiscard]] const UnitRoot& root() const { return root_; }
  [[nodiscard]] std::uint64_t split_id() const { return split_id_; }
  // Tag of the root entry; 0 when it is malformed.
  [[nodiscard]] std::uint16_t tag() const { return tag_; }
  [[nodiscard]] std::uint64_t base_address() const { return base_address_; }

  // .debug_info up to the end of this unit, so that offsets are those of the section.
  [[nodiscard]] std::span<const std::byte> info() const { return info_; }

  // Values of attributes; nothing (or empty) where the form does not fit or leads out of a section.
  [[nodiscard]] std::optional<std::uint64_t> Address(const FormValue& value) const;
  [[nodiscard]] std::string_view String(const FormValue& value) const;
  [[nodiscard]] std::optional<std::uint64_t> Constant(const FormValue& value) const;
  // An entry of this or another unit. Thread-safe.
  [[nodiscard]] std::optional<Entry> Reference(const FormValue& value) const;
  // The entry in .debug_addr.
  [[nodiscard]] std::optional<std::uint64_t> IndexedAddress(std::uint64_t index) const;
  // The section and position of a range list, DW_AT_ranges.
  struct RangeList {
    std::span<const std::byte> bytes;  // from its beginning to the end of the section
    bool version5 = false;
  };
  [[nodiscard]] std::optional<RangeList> FindRangeList(const FormValue& value) const;

 private:
  void ReadRoot();
  [[nodiscard]] std::string_view IndexedString(std::uint64_t index) const;

  const DwarfFile* file_;
  UnitHeader header_;
  const Abbreviations* abbreviations_;
  Contributions part_;
  const Unit* skeleton_;
  std::span<const std::byte> info_;
  std::uint16_t tag_ = 0;
  UnitRoot root_;
  std::uint64_t split_id_ = 0;
  std::uint64_t base_address_ = 0;
  std::uint64_t string_offsets_ = 0;  // offset of index 0 in .debug_str_offsets
  std::uint64_t addresses_ = 0;       // of index 0 in .debug_addr
  std::uint64_t range_offsets_ = 0;   // of the offset table in .debug_rnglists
  std::uint64_t gnu_ranges_ = 0;      // added to offsets in .debug_ranges by split units of DWARF 4
};

// Calls visit(name, FormValue) for each attribute. False when the entry is malformed.
template <class Visit>
bool ForEachAttribute(const Entry& entry, Visit&& visit) {
  const Unit& unit = *entry.unit;
  if (entry.offset < unit.header().entries || entry.offset >= unit.header().end) return false;
  ByteReader reader(unit.info());
  reader.Skip(entry.offset);
  const Abbreviation* abbreviation = unit.abbreviations().Find(reader.Varint());
  if (abbreviation == nullptr) return false;
  for (const AttributeSpec& spec : unit.abbreviations().Specs(*abbreviation)) {
    const FormValue value = ReadForm(reader, spec.form, spec.implicit_const, unit.header().sizes);
    if (!reader.ok()) return false;
    visit(spec.name, value);
  }
  return true;
}

// DW_TAG_*; 0 when malformed.
std::uint16_t TagOf(const Entry& entry);

}  // namespace prof::symbols
