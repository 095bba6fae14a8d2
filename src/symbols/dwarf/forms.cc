// Sizes and values of DWARF forms.
#include "symbols/dwarf/forms.h"

#include <dwarf.h>

namespace prof::symbols {

namespace {

bool IsVariable(std::uint16_t form) {
  switch (form) {
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_block:
    case DW_FORM_exprloc:
    case DW_FORM_string:
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
    case DW_FORM_indirect:
      return true;
    default:
      return false;
  }
}

}  // namespace

int FormSize(std::uint16_t form, const UnitSizes& sizes) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sup8:
    case DW_FORM_ref_sig8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return sizes.address_bytes;
    case DW_FORM_ref_addr:
      return sizes.version <= 2 ? sizes.address_bytes : sizes.offset_bytes;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return sizes.offset_bytes;
    default:
      return IsVariable(form) ? kVariableSize : kUnknownForm;
  }
}

std::uint64_t ReadFixed(ByteReader& reader, int bytes) {
  switch (bytes) {
    case 1:
      return reader.U8();
    case 2:
      return reader.U16();
    case 3: {
      const std::uint64_t low = reader.U16();
      return low | std::uint64_t{reader.U8()} << 16;
    }
    case 4:
      return reader.U32();
    case 8:
      return reader.U64();
    default:
      reader.Skip(static_cast<std::uint64_t>(bytes));
      return 0;
  }
}

FormValue ReadForm(ByteReader& reader, std::uint16_t form, std::int64_t implicit_const,
                   const UnitSizes& sizes) {
  const auto block = [&](std::uint64_t size) {
    const std::uint64_t at = reader.position();
    reader.Skip(size);
    return FormValue{form, at};
  };
  switch (form) {
    case DW_FORM_flag_present:
      return {form, 1};
    case DW_FORM_implicit_const:
      return {form, static_cast<std::uint64_t>(implicit_const)};
    case DW_FORM_sdata:
      return {form, static_cast<std::uint64_t>(reader.SignedLeb())};
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return {form, reader.Varint()};
    case DW_FORM_string: {
      const std::uint64_t at = reader.position();
      reader.CString();
      return {form, at};
    }
    case DW_FORM_block1:
      return block(reader.U8());
    case DW_FORM_block2:
      return block(reader.U16());
    case DW_FORM_block4:
      return block(reader.U32());
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return block(reader.Varint());
    case DW_FORM_indirect: {
      const std::uint64_t real = reader.Varint();
      // One level only: a chain of them says nothing and would nest our calls.
      if (real == DW_FORM_indirect || real == DW_FORM_implicit_const || real > 0xffff) {
        return {0, reader.Failed()};
      }
      return ReadForm(reader, static_cast<std::uint16_t>(real), 0, sizes);
    }
    default: {
      const int size = FormSize(form, sizes);
      if (size < 0) return {0, reader.Failed()};
      return {form, ReadFixed(reader, size)};
    }
  }
}

}  // namespace prof::symbols
