// cmpeqps, vpcmpltud, pclmullqhqdq: names that have an immediate operand inside.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "disasm/x86/mnemonic.h"

namespace prof::disasm::x86 {
namespace {

constexpr std::array<std::string_view, 32> kFloatPredicates = {
    "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
    "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
    "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us"};

// Empty: the operand stays.
constexpr std::array<std::string_view, 8> kIntegerPredicates = {"eq",  "lt",  "le",  "",
                                                                "neq", "nlt", "nle", ""};
constexpr std::array<std::string_view, 8> kXopPredicates = {"lt", "le",  "gt",    "ge",
                                                            "eq", "neq", "false", "true"};

struct PredicateName {
  std::string_view head;
  std::string_view predicate;
  std::string_view tail;
};

std::uint64_t Immediate(const Decoded& decoded) { return decoded.raw.raw.imm[0].value.u & 0xffU; }

std::string_view Predicate(std::span<const std::string_view> names, std::uint64_t immediate) {
  return immediate < names.size() ? names[immediate] : std::string_view();
}

std::string_view ProductPredicate(std::uint64_t immediate) {
  switch (immediate) {
    case 0x00:
      return "lqlq";
    case 0x01:
      return "hqlq";
    case 0x10:
      return "lqhq";
    case 0x11:
      return "hqhq";
    default:
      return {};
  }
}

PredicateName FloatName(const Decoded& decoded, bool vex, std::string_view tail) {
  const auto names = std::span(kFloatPredicates).first(vex ? 32 : 8);
  return {vex ? "vcmp" : "cmp", Predicate(names, Immediate(decoded)), tail};
}

PredicateName IntegerName(const Decoded& decoded, std::string_view tail) {
  return {"vpcmp", Predicate(kIntegerPredicates, Immediate(decoded)), tail};
}

PredicateName XopName(const Decoded& decoded, std::string_view tail) {
  return {"vpcom", Predicate(kXopPredicates, Immediate(decoded)), tail};
}

PredicateName FindFloat(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_CMPPS:
      return FloatName(decoded, false, "ps");
    case ZYDIS_MNEMONIC_CMPPD:
      return FloatName(decoded, false, "pd");
    case ZYDIS_MNEMONIC_CMPSS:
      return FloatName(decoded, false, "ss");
    case ZYDIS_MNEMONIC_CMPSD:  // also the string instruction
      return decoded.raw.opcode == 0xc2 ? FloatName(decoded, false, "sd") : PredicateName{};
    case ZYDIS_MNEMONIC_VCMPPS:
      return FloatName(decoded, true, "ps");
    case ZYDIS_MNEMONIC_VCMPPD:
      return FloatName(decoded, true, "pd");
    case ZYDIS_MNEMONIC_VCMPPH:
      return FloatName(decoded, true, "ph");
    case ZYDIS_MNEMONIC_VCMPSS:
      return FloatName(decoded, true, "ss");
    case ZYDIS_MNEMONIC_VCMPSD:
      return FloatName(decoded, true, "sd");
    case ZYDIS_MNEMONIC_VCMPSH:
      return FloatName(decoded, true, "sh");
    default:
      return {};
  }
}

PredicateName FindInteger(const Decoded& decoded) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_VPCMPB:
      return IntegerName(decoded, "b");
    case ZYDIS_MNEMONIC_VPCMPW:
      return IntegerName(decoded, "w");
    case ZYDIS_MNEMONIC_VPCMPD:
      return IntegerName(decoded, "d");
    case ZYDIS_MNEMONIC_VPCMPQ:
      return IntegerName(decoded, "q");
    case ZYDIS_MNEMONIC_VPCMPUB:
      return IntegerName(decoded, "ub");
    case ZYDIS_MNEMONIC_VPCMPUW:
      return IntegerName(decoded, "uw");
    case ZYDIS_MNEMONIC_VPCMPUD:
      return IntegerName(decoded, "ud");
    case ZYDIS_MNEMONIC_VPCMPUQ:
      return IntegerName(decoded, "uq");
    case ZYDIS_MNEMONIC_VPCOMB:
      return XopName(decoded, "b");
    case ZYDIS_MNEMONIC_VPCOMW:
      return XopName(decoded, "w");
    case ZYDIS_MNEMONIC_VPCOMD:
      return XopName(decoded, "d");
    case ZYDIS_MNEMONIC_VPCOMQ:
      return XopName(decoded, "q");
    case ZYDIS_MNEMONIC_VPCOMUB:
      return XopName(decoded, "ub");
    case ZYDIS_MNEMONIC_VPCOMUW:
      return XopName(decoded, "uw");
    case ZYDIS_MNEMONIC_VPCOMUD:
      return XopName(decoded, "ud");
    case ZYDIS_MNEMONIC_VPCOMUQ:
      return XopName(decoded, "uq");
    case ZYDIS_MNEMONIC_PCLMULQDQ:
      return {"pclmul", ProductPredicate(Immediate(decoded)), "dq"};
    case ZYDIS_MNEMONIC_VPCLMULQDQ:
      return {"vpclmul", ProductPredicate(Immediate(decoded)), "dq"};
    default:
      return {};
  }
}

// Its `predicate` is empty when the name has none inside.
PredicateName Find(const Decoded& decoded) {
  const PredicateName name = FindFloat(decoded);
  return name.predicate.empty() ? FindInteger(decoded) : name;
}

}  // namespace

bool HasPredicateMnemonic(const Decoded& decoded) { return !Find(decoded).predicate.empty(); }

bool AddPredicateMnemonic(const Decoded& decoded, TextBuffer& text) {
  const PredicateName name = Find(decoded);
  if (name.predicate.empty()) return false;
  text.Add(name.head);
  text.Add(name.predicate);
  text.Add(name.tail);
  return true;
}

}  // namespace prof::disasm::x86
