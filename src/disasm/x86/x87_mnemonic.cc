#include <string_view>

#include "disasm/x86/mnemonic.h"
#include "disasm/x86/name_table.h"

namespace prof::disasm::x86 {
namespace {

// AT&T's suffix of a memory operand, by opcode d8..df and the middle bits of the ModRM byte.
constexpr std::string_view kSuffixes[8][8] = {
    {"s", "s", "s", "s", "s", "s", "s", "s"}, {"s", "", "s", "s", "", "", "", ""},
    {"l", "l", "l", "l", "l", "l", "l", "l"}, {"l", "l", "l", "l", "", "t", "", "t"},
    {"l", "l", "l", "l", "l", "l", "l", "l"}, {"l", "ll", "l", "l", "", "", "", ""},
    {"s", "s", "s", "s", "s", "s", "s", "s"}, {"s", "s", "s", "s", "", "ll", "", "ll"},
};

// AT&T's assemblers have had subtraction and division the wrong way round where the destination is
// not the top of the stack, for so long that everybody keeps it so.
std::string_view Swapped(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_FSUB:
      return "fsubr";
    case ZYDIS_MNEMONIC_FSUBR:
      return "fsub";
    case ZYDIS_MNEMONIC_FSUBP:
      return "fsubrp";
    case ZYDIS_MNEMONIC_FSUBRP:
      return "fsubp";
    case ZYDIS_MNEMONIC_FDIV:
      return "fdivr";
    case ZYDIS_MNEMONIC_FDIVR:
      return "fdiv";
    case ZYDIS_MNEMONIC_FDIVP:
      return "fdivrp";
    case ZYDIS_MNEMONIC_FDIVRP:
      return "fdivp";
    default:
      return {};
  }
}

std::string_view OldName(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_FDISI8087_NOP:
      return "fndisi(8087 only)";
    case ZYDIS_MNEMONIC_FENI8087_NOP:
      return "fneni(8087 only)";
    case ZYDIS_MNEMONIC_FSETPM287_NOP:
      return "fnsetpm(287 only)";
    default:
      return {};
  }
}

}  // namespace

void AddX87Mnemonic(const Decoded& decoded, Syntax syntax, TextBuffer& text) {
  std::string_view name = NameOf(decoded.raw.mnemonic).intel;
  if (const std::string_view old = OldName(decoded.raw.mnemonic); !old.empty()) name = old;
  const bool reversed =
      decoded.memory == nullptr && (decoded.raw.opcode == 0xdc || decoded.raw.opcode == 0xde);
  if (syntax == Syntax::kAtt && reversed) {
    const std::string_view swapped = Swapped(decoded.raw.mnemonic);
    if (!swapped.empty()) name = swapped;
  }
  if (decoded.prefixes.fwait && name.starts_with("fn") && name != "fnop") {
    text.Add('f');
    name.remove_prefix(2);
  }
  text.Add(name);
  if (syntax == Syntax::kAtt && decoded.memory != nullptr)
    text.Add(kSuffixes[decoded.raw.opcode & 7U][decoded.raw.raw.modrm.reg]);
}

}  // namespace prof::disasm::x86
