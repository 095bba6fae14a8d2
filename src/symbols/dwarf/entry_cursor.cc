// Reads entries as fast as their encoding allows.
#include "symbols/dwarf/entry_cursor.h"

#include <dwarf.h>

namespace prof::symbols {

EntryCursor::EntryCursor(const Unit& unit) : unit_(unit), abbreviations_(unit.abbreviations()) {}

bool EntryCursor::Read(std::uint64_t offset, EntryShape& entry) const {
  const std::uint64_t end = unit_.header().end;
  if (offset >= end) return false;
  ByteReader reader(unit_.info().subspan(static_cast<std::size_t>(offset)));
  const std::uint64_t code = reader.Varint();
  entry.offset = offset;
  entry.sibling = 0;
  entry.next = offset + reader.position();
  if (code == 0) {
    entry.abbreviation = nullptr;
    return reader.ok();
  }
  entry.abbreviation = abbreviations_.Find(code);
  if (entry.abbreviation == nullptr) return false;
  const Abbreviation& abbreviation = *entry.abbreviation;
  if (abbreviation.bytes < 0 || abbreviation.code_ranges) {
    if (!ReadAttributes(reader, entry)) return false;
    entry.next = offset + reader.position();
  } else {
    entry.low = entry.high = entry.ranges = {};
    entry.next += static_cast<std::uint64_t>(abbreviation.bytes);
    if (entry.next > end) return false;
    if (abbreviation.sibling_at >= 0) {
      reader.Skip(static_cast<std::uint64_t>(abbreviation.sibling_at));
      entry.sibling = unit_.header().offset + reader.U32();
    }
  }
  if (entry.sibling < entry.next || entry.sibling > end) entry.sibling = 0;
  return true;
}

bool EntryCursor::ReadAttributes(ByteReader& reader, EntryShape& entry) const {
  entry.low = entry.high = entry.ranges = {};
  const UnitSizes& sizes = unit_.header().sizes;
  for (const AttributeSpec& spec : abbreviations_.Specs(*entry.abbreviation)) {
    const FormValue value = ReadForm(reader, spec.form, spec.implicit_const, sizes);
    switch (spec.name) {
      case DW_AT_low_pc:
        entry.low = value;
        break;
      case DW_AT_high_pc:
        entry.high = value;
        break;
      case DW_AT_ranges:
        entry.ranges = value;
        break;
      case DW_AT_sibling:
        if (const auto sibling = unit_.Reference(value); sibling && sibling->unit == &unit_) {
          entry.sibling = sibling->offset;
        }
        break;
      default:
        break;
    }
  }
  return reader.ok();
}

std::uint64_t EntryCursor::Skip(const EntryShape& entry) const {
  if (!entry.abbreviation->children) return entry.next;
  if (entry.sibling != 0) return entry.sibling;
  EntryShape below;
  std::uint64_t at = entry.next;
  for (std::uint64_t depth = 1; depth > 0;) {
    if (!Read(at, below)) return 0;
    at = below.next;
    if (below.abbreviation == nullptr)
      --depth;
    else if (below.sibling != 0 && below.abbreviation->children)
      at = below.sibling;
    else if (below.abbreviation->children)
      ++depth;
  }
  return at;
}

}  // namespace prof::symbols
