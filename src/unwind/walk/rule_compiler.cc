// Runs the call frame program of one function up to one address and classifies the row it gives.
#include "unwind/walk/rule_compiler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "unwind/walk/registers.h"

namespace prof::unwind::walk {

namespace {

struct Place {
  enum class Form : std::uint8_t {
    kUnspecified,
    kUndefined,
    kSame,
    kAtOffset,
    kIsOffset,
    kInRegister,
    kAtExpression,
    kIsExpression
  };
  Form form = Form::kUnspecified;
  std::int64_t value = 0;  // an offset from the CFA or a register
  std::span<const std::byte> expression;
};

// DWARF 5, 6.4.1: one row of the table, reduced to the registers that rules are made from.
struct Row {
  std::uint64_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  bool cfa_is_expression = false;
  std::span<const std::byte> cfa_expression;
  Place fp, sp, return_address;
  bool scratch_changes = false;
};

// DWARF 5, 6.4.2: the instructions. `A` describes the architecture, see registers.h.
template <class A>
class Program {
 public:
  Program(const Fde& fde, std::uint64_t target)
      : cie_(fde.cie), target_(target), location_(fde.start) {}

  // The row for the target; nothing when the program cannot be followed.
  std::optional<Row> Run(const Fde& fde) {
    if (!Execute(cie_.program, 0)) return std::nullopt;
    initial_ = row_;
    if (!Execute(fde.program, fde.program_address)) return std::nullopt;
    return row_;
  }

 private:
  bool Execute(std::span<const std::byte> program, std::uint64_t address) {
    ByteReader reader(program);
    while (reader.ok() && reader.remaining() > 0 && location_ <= target_) {
      const std::uint8_t byte = reader.U8();
      const std::uint8_t operand = byte & 0x3f;
      bool known = true;
      switch (byte >> 6) {
        case 1:
          Advance(operand);
          break;
        case 2:
          Set(operand, {Place::Form::kAtOffset, Factored(reader.Varint()), {}});
          break;
        case 3:
          Restore(operand);
          break;
        default:
          known = Location(operand, reader, address) || Cfa(operand, reader) ||
                  Register(operand, reader);
      }
      if (!known) return false;
    }
    return reader.ok();
  }

  // Rows describe the code from their location on: one behind the target must not be applied.
  void Advance(std::uint64_t delta) { location_ += delta * cie_.code_alignment; }

  [[nodiscard]] std::int64_t Factored(std::uint64_t offset) const {
    return static_cast<std::int64_t>(offset * static_cast<std::uint64_t>(cie_.data_alignment));
  }
  [[nodiscard]] std::int64_t FactoredSigned(std::int64_t offset) const {
    return Factored(static_cast<std::uint64_t>(offset));
  }

  Place* PlaceOf(Row& row, std::uint64_t number) const {
    if (number == A::kFp) return &row.fp;
    if (number == A::kSp) return &row.sp;
    return number == cie_.return_column ? &row.return_address : nullptr;
  }
  void Set(std::uint64_t number, const Place& place) {
    if (Place* slot = PlaceOf(row_, number)) *slot = place;
    if (A::IsScratch(number) && place.form != Place::Form::kSame) row_.scratch_changes = true;
  }
  void Restore(std::uint64_t number) {
    if (Place* slot = PlaceOf(row_, number)) *slot = *PlaceOf(initial_, number);
  }

  // False for instructions of another group, as in the next two.
  bool Location(std::uint8_t instruction, ByteReader& reader, std::uint64_t address) {
    switch (instruction) {
      case 0x00:  // nop
        return true;
      case 0x01:  // set_loc
        location_ = ReadPointer(reader, cie_.pointer_encoding, address + reader.position());
        return true;
      case 0x02:  // advance_loc1
        Advance(reader.U8());
        return true;
      case 0x03:  // advance_loc2
        Advance(reader.U16());
        return true;
      case 0x04:  // advance_loc4
        Advance(reader.U32());
        return true;
      case 0x0a:  // remember_state
        if (depth_ == remembered_.size()) reader.Failed();
        if (reader.ok()) remembered_[depth_++] = row_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) reader.Failed();
        if (reader.ok()) row_ = remembered_[--depth_];
        return true;
      case 0x2c:  // AARCH64_negate_ra_state_with_pc
      case 0x2d:  // AARCH64_negate_ra_state: whether the return address is signed. The walk strips
                  // signatures where it meets them.
        return A::kArch == Arch::kAarch64;
      case 0x2e:  // GNU_args_size: what a caller pushed; no rule depends on it
        reader.Varint();
        return true;
      default:
        return false;
    }
  }

  bool Cfa(std::uint8_t instruction, ByteReader& reader) {
    switch (instruction) {
      case 0x0c:  // def_cfa
        row_.cfa_register = reader.Varint();
        row_.cfa_offset = static_cast<std::int64_t>(reader.Varint());
        row_.cfa_is_expression = false;
        return true;
      case 0x0d:  // def_cfa_register
        row_.cfa_register = reader.Varint();
        row_.cfa_is_expression = false;
        return true;
      case 0x0e:  // def_cfa_offset
        row_.cfa_offset = static_cast<std::int64_t>(reader.Varint());
        return true;
      case 0x0f:  // def_cfa_expression
        row_.cfa_expression = reader.Bytes(reader.Varint());
        row_.cfa_is_expression = true;
        return true;
      case 0x12:  // def_cfa_sf
        row_.cfa_register = reader.Varint();
        row_.cfa_offset = FactoredSigned(reader.SignedLeb());
        row_.cfa_is_expression = false;
        return true;
      case 0x13:  // def_cfa_offset_sf
        row_.cfa_offset = FactoredSigned(reader.SignedLeb());
        return true;
      default:
        return false;
    }
  }

  bool Register(std::uint8_t instruction, ByteReader& reader) {
    using Form = Place::Form;
    if ((instruction < 0x05 || instruction > 0x09) && instruction != 0x2f && instruction != 0x10 &&
        instruction != 0x11 && (instruction < 0x14 || instruction > 0x16)) {
      return false;
    }
    const std::uint64_t number = reader.Varint();
    switch (instruction) {
      case 0x05:  // offset_extended
        Set(number, {Form::kAtOffset, Factored(reader.Varint()), {}});
        break;
      case 0x06:  // restore_extended
        Restore(number);
        break;
      case 0x07:  // undefined
        Set(number, {Form::kUndefined, 0, {}});
        break;
      case 0x08:  // same_value
        Set(number, {Form::kSame, 0, {}});
        break;
      case 0x09:  // register
        Set(number, {Form::kInRegister, static_cast<std::int64_t>(reader.Varint()), {}});
        break;
      case 0x10:  // expression
        Set(number, {Form::kAtExpression, 0, reader.Bytes(reader.Varint())});
        break;
      case 0x11:  // offset_extended_sf
        Set(number, {Form::kAtOffset, FactoredSigned(reader.SignedLeb()), {}});
        break;
      case 0x14:  // val_offset
        Set(number, {Form::kIsOffset, Factored(reader.Varint()), {}});
        break;
      case 0x15:  // val_offset_sf
        Set(number, {Form::kIsOffset, FactoredSigned(reader.SignedLeb()), {}});
        break;
      case 0x16:  // val_expression
        Set(number, {Form::kIsExpression, 0, reader.Bytes(reader.Varint())});
        break;
      default:  // 0x2f, GNU_negative_offset_extended
        Set(number, {Form::kAtOffset, Factored(0 - reader.Varint()), {}});
    }
    return true;
  }

  const Cie& cie_;
  std::uint64_t target_;
  std::uint64_t location_;
  Row row_, initial_;
  std::array<Row, 8> remembered_;
  std::size_t depth_ = 0;
};

constexpr std::uint8_t kBreg0 = 0x70;  // DWARF 5, 7.7.1
constexpr std::uint8_t kDeref = 0x06;
constexpr std::uint8_t kPlusConstant = 0x23;

template <class T>
bool Narrow(std::int64_t value, T& narrow) {
  narrow = static_cast<T>(value);
  return narrow == value;
}

// DW_OP_breg<number> offset, and nothing behind it.
std::optional<std::int64_t> BaseAndOffset(std::span<const std::byte> expression,
                                          std::uint64_t number) {
  ByteReader reader(expression);
  if (reader.U8() != kBreg0 + number) return std::nullopt;
  const std::int64_t offset = reader.SignedLeb();
  if (!reader.ok() || reader.remaining() != 0) return std::nullopt;
  return offset;
}

// What x86-64 linkers write for .plt, whose entries push an index in their 11th byte: DW_OP_breg7
// 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus.
bool IsPlt(std::span<const std::byte> expression, Rule& rule) {
  static constexpr std::array<std::uint8_t, 11> kPattern = {0x77, 8,    0x80, 0,    0x3f, 0x1a,
                                                            0x3b, 0x2a, 0x33, 0x24, 0x22};
  constexpr std::size_t kThreshold = 6;
  constexpr std::uint8_t kLit0 = 0x30;
  if (expression.size() != kPattern.size()) return false;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    if (i != kThreshold && std::to_integer<std::uint8_t>(expression[i]) != kPattern[i])
      return false;
  }
  const auto threshold = std::to_integer<std::uint8_t>(expression[kThreshold]);
  if (threshold < kLit0 || threshold > kLit0 + 15) return false;
  rule.cfa = CfaForm::kPlt;
  rule.offset = 8;
  rule.addend = static_cast<std::int16_t>(threshold - kLit0);
  return true;
}

// DW_OP_breg<fp or sp> offset, deref, and perhaps plus_uconst.
template <class A>
bool IsDeref(std::span<const std::byte> expression, Rule& rule) {
  ByteReader reader(expression);
  const std::uint8_t base = reader.U8();
  if (base != kBreg0 + A::kFp && base != kBreg0 + A::kSp) return false;
  const std::int64_t offset = reader.SignedLeb();
  if (reader.U8() != kDeref) return false;
  std::uint64_t addend = 0;
  if (reader.ok() && reader.remaining() > 0) {
    if (reader.U8() != kPlusConstant) return false;
    addend = reader.Varint();
  }
  rule.cfa = base == kBreg0 + A::kFp ? CfaForm::kDerefFp : CfaForm::kDerefSp;
  return reader.ok() && reader.remaining() == 0 && Narrow(offset, rule.offset) && addend < 0x8000 &&
         Narrow(static_cast<std::int64_t>(addend), rule.addend);
}

template <class A>
bool CfaRule(const Row& row, Rule& rule) {
  if (row.cfa_is_expression) {
    return (A::kArch == Arch::kX86_64 && IsPlt(row.cfa_expression, rule)) ||
           IsDeref<A>(row.cfa_expression, rule);
  }
  if (row.cfa_register >= A::kPc || !Narrow(row.cfa_offset, rule.offset)) return false;
  rule.cfa_register = static_cast<std::uint8_t>(row.cfa_register);
  rule.cfa = row.cfa_register == A::kSp   ? CfaForm::kSp
             : row.cfa_register == A::kFp ? CfaForm::kFp
                                          : CfaForm::kRegister;
  return true;
}

// The offset of a save slot in the units rules have it in.
template <class A>
bool SlotOffset(std::int64_t bytes, std::int16_t& offset) {
  return bytes % A::kSlotUnit == 0 && Narrow(bytes / A::kSlotUnit, offset);
}

template <class A>
bool FpRule(const Place& fp, Rule& rule) {
  switch (fp.form) {
    case Place::Form::kUnspecified:
    case Place::Form::kSame:
      rule.fp = FpForm::kSame;
      return true;
    case Place::Form::kUndefined:
      rule.fp = FpForm::kUnknown;
      return true;
    case Place::Form::kAtOffset:
      rule.fp = FpForm::kAtCfa;
      return SlotOffset<A>(fp.value, rule.fp_offset);
    case Place::Form::kAtExpression: {
      const auto offset = BaseAndOffset(fp.expression, A::kFp);
      rule.fp = FpForm::kAtFp;
      return offset && SlotOffset<A>(*offset, rule.fp_offset);
    }
    default:
      return false;
  }
}

template <class A>
bool ReturnRule(const Place& place, Rule& rule) {
  if (place.form == Place::Form::kAtOffset) {
    if (!A::kHasLink) return place.value == -8;
    return SlotOffset<A>(place.value, rule.return_offset);
  }
  const bool in_link = place.form == Place::Form::kUnspecified || place.form == Place::Form::kSame;
  if (A::kHasLink && in_link) {
    rule.return_register = A::kReturnColumn;
    return true;
  }
  if (place.form != Place::Form::kInRegister || place.value < 0 ||
      static_cast<std::uint64_t>(place.value) >= A::kPc) {
    return false;
  }
  rule.return_register = static_cast<std::uint8_t>(place.value);
  return true;
}

// Whether a row of a signal trampoline's is the kernel's frame, whose registers are where
// SignalContextOffset() says. That the places are the kernel's is checked for those that matter.
template <class A>
bool IsSignalFrame(const Row& row);

// Every register by expression, in the ucontext_t at rsp.
template <>
bool IsSignalFrame<X86_64>(const Row& row) {
  const auto offset = [](const Place& place) {
    return place.form == Place::Form::kAtExpression ? BaseAndOffset(place.expression, X86_64::kSp)
                                                    : std::nullopt;
  };
  Rule cfa;
  return row.cfa_is_expression && IsDeref<X86_64>(row.cfa_expression, cfa) &&
         cfa.cfa == CfaForm::kDerefSp && cfa.offset == 160 && cfa.addend == 0 &&
         offset(row.return_address) == 168 && offset(row.fp) == 120;
}

// arch/arm64/kernel/vdso/sigreturn.S until Linux 5.8 (there is none after that): the frame record
// behind the kernel's frame, CFA = x29, x29 and x30 there.
template <>
bool IsSignalFrame<Aarch64>(const Row& row) {
  const auto is_at = [](const Place& place, std::int64_t offset) {
    return place.form == Place::Form::kAtOffset && place.value == offset;
  };
  return !row.cfa_is_expression && row.cfa_register == Aarch64::kFp && row.cfa_offset == 0 &&
         is_at(row.fp, 0) && is_at(row.return_address, 8);
}

template <class A>
Rule Classify(const Cie& cie, const Row& row) {
  constexpr Rule kSlow{.cfa = CfaForm::kSlow};
  if (cie.return_column != A::kReturnColumn) return kSlow;
  if (row.return_address.form == Place::Form::kUndefined) return {.cfa = CfaForm::kEnd};
  if (cie.signal_frame) return IsSignalFrame<A>(row) ? Rule{.cfa = CfaForm::kSignal} : kSlow;
  const Place& sp = row.sp;
  const bool sp_is_cfa =
      sp.form == Place::Form::kUnspecified || (sp.form == Place::Form::kIsOffset && sp.value == 0);
  Rule rule;
  rule.scratch_changes = row.scratch_changes;
  if (!sp_is_cfa || !CfaRule<A>(row, rule) || !FpRule<A>(row.fp, rule) ||
      !ReturnRule<A>(row.return_address, rule)) {
    return kSlow;
  }
  return rule;
}

template <class A>
Rule RuleOf(const Fde& fde, std::uint64_t file_address) {
  const auto row = Program<A>(fde, file_address).Run(fde);
  return row ? Classify<A>(fde.cie, *row) : Rule{.cfa = CfaForm::kSlow};
}

}  // namespace

Rule CompileRule(const ModuleCfi& cfi, std::uint64_t file_address) {
  Fde fde;
  const ModuleCfi* section = &cfi;
  for (; section != nullptr; section = section->next) {
    const auto offset = FindEntry(*section, file_address);
    if (!offset) continue;
    std::uint64_t next = 0;
    const EntryKind kind = ReadEntry(*section, *offset, fde, next);
    if (kind == EntryKind::kEndOfEntries) continue;
    if (kind != EntryKind::kFde) return {.cfa = CfaForm::kSlow};
    if (file_address >= fde.start && file_address < fde.end) break;
  }
  if (section == nullptr) return {};
  return cfi.arch == Arch::kX86_64 ? RuleOf<X86_64>(fde, file_address)
                                   : RuleOf<Aarch64>(fde, file_address);
}

}  // namespace prof::unwind::walk
