// Memory operands. objdump prints what the bytes say, not what they mean: a displacement whenever
// one is encoded, and a register that is not there (%riz) where an index byte was not needed.
#include <cstdint>

#include "disasm/x86/operand_text.h"

namespace prof::disasm::x86 {
namespace {

struct Form {
  bool att = true;
  ZydisRegister base = ZYDIS_REGISTER_NONE;
  ZydisRegister index = ZYDIS_REGISTER_NONE;
  bool pseudo_index = false;  // %riz or %eiz
  bool has_displacement = false;
  std::int64_t displacement = 0;
  int scale = 1;
  bool shows_scale = true;  // not with 16-bit addresses

  [[nodiscard]] bool has_index() const { return index != ZYDIS_REGISTER_NONE || pseudo_index; }
  [[nodiscard]] bool ip_relative() const {
    return base == ZYDIS_REGISTER_RIP || base == ZYDIS_REGISTER_EIP;
  }
  [[nodiscard]] bool has_registers() const { return base != ZYDIS_REGISTER_NONE || has_index(); }
};

// Whether the scale-index-base byte's index is printed although it names no register.
bool ShowsPseudoIndex(const Decoded& decoded, const Form& form) {
  if (form.index != ZYDIS_REGISTER_NONE) return false;
  if (!decoded.has_sib()) return false;
  if (decoded.raw.raw.sib.scale != 0) return true;
  // Tells an address without base apart from the shorter encoding of the same.
  if (form.base == ZYDIS_REGISTER_NONE)
    return !decoded.long_mode || decoded.raw.address_width == 32;
  return decoded.raw.raw.sib.base != 4;
}

Form MakeForm(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax) {
  Form form{.att = syntax == Syntax::kAtt,
            .base = operand.mem.base,
            .index = operand.mem.index,
            .has_displacement = decoded.raw.raw.disp.size != 0,
            .displacement = operand.mem.disp.value,
            .shows_scale = decoded.raw.address_width != 16};
  form.pseudo_index = ShowsPseudoIndex(decoded, form);
  if (decoded.has_sib()) form.scale = 1 << decoded.raw.raw.sib.scale;
  if (decoded.raw.address_width == 32 && decoded.long_mode && form.base == ZYDIS_REGISTER_NONE &&
      form.index == ZYDIS_REGISTER_NONE)
    form.displacement &= 0xffffffff;
  return form;
}

void AddSigned(std::int64_t value, TextBuffer& text) {
  const bool negative = value < 0;
  if (negative) text.Add('-');
  const auto bits = static_cast<std::uint64_t>(value);
  text.AddHexNumber(negative ? 0 - bits : bits);
}

void AddAbsolute(const Decoded& decoded, std::int64_t displacement, TextBuffer& text) {
  auto value = static_cast<std::uint64_t>(displacement);
  if (decoded.raw.address_width == 16) {
    value &= 0xffff;
  } else if (!decoded.long_mode) {
    value &= 0xffffffff;
  }
  text.AddHexNumber(value);
}

void AddIndex(const Decoded& decoded, const Form& form, Syntax syntax, TextBuffer& text) {
  if (form.pseudo_index) {
    const bool wide = decoded.raw.address_width == 64;
    if (form.att) text.Add('%');
    text.Add(wide ? "riz" : "eiz");
  } else {
    AddRegister(form.index, syntax, text);
  }
  if (!form.shows_scale) return;
  text.Add(form.att ? ',' : '*');
  text.Add(static_cast<char>('0' + form.scale));
}

void AddAttForm(const Decoded& decoded, const Form& form, TextBuffer& text) {
  if (!form.has_registers()) {
    AddAbsolute(decoded, form.displacement, text);
    return;
  }
  if (form.has_displacement) AddSigned(form.displacement, text);
  text.Add('(');
  if (form.base != ZYDIS_REGISTER_NONE) AddRegister(form.base, Syntax::kAtt, text);
  if (form.has_index()) {
    text.Add(',');
    AddIndex(decoded, form, Syntax::kAtt, text);
  }
  text.Add(')');
}

void AddIntelForm(const Decoded& decoded, const Form& form, TextBuffer& text) {
  if (!form.has_registers()) {
    const bool has_segment = decoded.prefixes.segment_at >= 0 && text.view().back() == ':';
    if (!has_segment) text.Add("ds:");
    AddAbsolute(decoded, form.displacement, text);
    return;
  }
  text.Add('[');
  if (form.base != ZYDIS_REGISTER_NONE) AddRegister(form.base, Syntax::kIntel, text);
  if (form.has_index()) {
    if (form.base != ZYDIS_REGISTER_NONE) text.Add('+');
    AddIndex(decoded, form, Syntax::kIntel, text);
  }
  if (form.ip_relative()) {
    text.Add('+');
    text.AddHexNumber(static_cast<std::uint64_t>(form.displacement));
  } else if (form.has_displacement) {
    if (form.displacement >= 0) text.Add('+');
    AddSigned(form.displacement, text);
  }
  text.Add(']');
}

}  // namespace

void AddSegmentOverride(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  const PrefixScan& prefixes = decoded.prefixes;
  if (prefixes.segment_at < 0) return;
  const std::uint8_t byte = prefixes.bytes[static_cast<std::size_t>(prefixes.segment_at)];
  ZydisRegister segment = ZYDIS_REGISTER_NONE;
  switch (byte) {
    case 0x64:
      segment = ZYDIS_REGISTER_FS;
      break;
    case 0x65:
      segment = ZYDIS_REGISTER_GS;
      break;
    case 0x26:
      segment = ZYDIS_REGISTER_ES;
      break;
    case 0x2e:
      segment = ZYDIS_REGISTER_CS;
      break;
    case 0x36:
      segment = ZYDIS_REGISTER_SS;
      break;
    default:
      segment = ZYDIS_REGISTER_DS;
  }
  // Long mode has no others.
  if (decoded.long_mode && byte != 0x64 && byte != 0x65) return;
  if (byte == 0x3e && (decoded.raw.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0) return;
  AddRegister(segment, syntax, text);
  text.Add(':');
}

void AddMemory(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
               TextBuffer& text) {
  if (syntax == Syntax::kIntel) text.Add(PointerSize(decoded, operand));
  AddAddress(decoded, operand, syntax, text);
}

void AddAddress(const Decoded& decoded, const ZydisDecodedOperand& operand, Syntax syntax,
                TextBuffer& text) {
  AddSegmentOverride(decoded, syntax, text);
  const Form form = MakeForm(decoded, operand, syntax);
  if (form.att) {
    AddAttForm(decoded, form, text);
  } else {
    AddIntelForm(decoded, form, text);
  }
}

}  // namespace prof::disasm::x86
