// Reads tables of abbreviations.
#include "symbols/dwarf/abbreviations.h"

#include <dwarf.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace prof::symbols {
namespace {

bool MayHaveCode(std::uint16_t tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      return true;
    default:
      return false;
  }
}

std::uint16_t Narrow(std::uint64_t number) {
  return number > 0xffff ? 0xffff : static_cast<std::uint16_t>(number);
}

}  // namespace

Abbreviations Abbreviations::Read(std::span<const std::byte> section, std::uint64_t offset,
                                  const UnitSizes& sizes) {
  Abbreviations table;
  if (offset >= section.size()) return table;
  ByteReader reader(section.subspan(static_cast<std::size_t>(offset)));
  for (std::uint64_t code; (code = reader.Varint()) != 0 && reader.ok();) {
    Abbreviation abbreviation;
    abbreviation.code = code;
    abbreviation.tag = Narrow(reader.Varint());
    abbreviation.children = reader.U8() != DW_CHILDREN_no;
    abbreviation.first_spec = static_cast<std::uint32_t>(table.specs_.size());
    for (;;) {
      const std::uint64_t name = reader.Varint();
      const std::uint64_t form = reader.Varint();
      const std::int64_t value = form == DW_FORM_implicit_const ? reader.SignedLeb() : 0;
      if (!reader.ok() || (name == 0 && form == 0)) break;
      table.specs_.push_back({Narrow(name), Narrow(form), value});
    }
    if (!reader.ok()) break;
    table.Add(abbreviation, sizes);
  }
  if (!table.dense_) {
    table.by_code_.resize(table.all_.size());
    std::iota(table.by_code_.begin(), table.by_code_.end(), 0u);
    // Of several with one code the first counts.
    std::ranges::sort(table.by_code_, {}, [&](std::uint32_t index) {
      return std::pair(table.all_[index].code, index);
    });
  }
  return table;
}

void Abbreviations::Add(Abbreviation abbreviation, const UnitSizes& sizes) {
  abbreviation.spec_count = static_cast<std::uint32_t>(specs_.size()) - abbreviation.first_spec;
  std::int32_t bytes = 0;
  for (const AttributeSpec& spec : Specs(abbreviation)) {
    if (spec.name == DW_AT_sibling && spec.form == DW_FORM_ref4) abbreviation.sibling_at = bytes;
    if (spec.name == DW_AT_low_pc || spec.name == DW_AT_ranges) {
      abbreviation.code_ranges = MayHaveCode(abbreviation.tag);
    }
    const int size = FormSize(spec.form, sizes);
    bytes = size < 0 || bytes < 0 ? kVariableSize : bytes + size;
  }
  abbreviation.bytes = bytes;
  dense_ = dense_ && abbreviation.code == all_.size() + 1;
  all_.push_back(abbreviation);
}

const Abbreviation* Abbreviations::FindSparse(std::uint64_t code) const {
  const auto at =
      std::ranges::lower_bound(by_code_, code, {}, [&](std::uint32_t i) { return all_[i].code; });
  return at != by_code_.end() && all_[*at].code == code ? &all_[*at] : nullptr;
}

}  // namespace prof::symbols
