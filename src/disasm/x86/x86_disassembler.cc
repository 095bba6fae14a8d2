#include "disasm/x86/x86_disassembler.h"

#include <algorithm>
#include <string>

#include "disasm/x86/flow.h"
#include "disasm/x86/mnemonic.h"
#include "disasm/x86/operand_text.h"
#include "disasm/x86/prefix_text.h"
#include "disasm/x86/zydis_library.h"

namespace prof::disasm::x86 {
namespace {

constexpr std::size_t kMnemonicColumns = 6;

std::span<const std::uint8_t> AsBytes(std::span<const std::byte> code) {
  return {reinterpret_cast<const std::uint8_t*>(code.data()), code.size()};
}

// The selector of the older blends, which AT&T and Intel write although it cannot be another.
bool ShowsHidden(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  switch (decoded.raw.mnemonic) {
    case ZYDIS_MNEMONIC_BLENDVPD:
    case ZYDIS_MNEMONIC_BLENDVPS:
    case ZYDIS_MNEMONIC_PBLENDVB:
    case ZYDIS_MNEMONIC_SHA256RNDS2:
      return ClassOf(operand) == ZYDIS_REGCLASS_XMM;
    default:
      return false;
  }
}

// Whether objdump leaves the last operand out: a predicate in the name, AT&T's shift by one.
bool HidesLast(const Decoded& decoded, Syntax syntax) {
  if (HasPredicateMnemonic(decoded)) return true;
  return syntax == Syntax::kAtt && decoded.is_shift_by_one();
}

}  // namespace

X86Disassembler::X86Disassembler(bool long_mode, Syntax syntax, bool text)
    : decoder_(), long_mode_(long_mode), syntax_(syntax), spells_(text), decoded_() {
  const ZyanStatus status = Zydis().decoder_init(
      &decoder_, long_mode ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
      long_mode ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  PROF_CHECK(ZYAN_SUCCESS(status));
  // As objdump: an operand size prefix makes near branches 16 bits wide.
  Zydis().decoder_enable_mode(&decoder_, ZYDIS_DECODER_MODE_AMD_BRANCHES, ZYAN_TRUE);
  Zydis().decoder_enable_mode(&decoder_, ZYDIS_DECODER_MODE_WBNOINVD, ZYAN_TRUE);
  Zydis().decoder_enable_mode(&decoder_, ZYDIS_DECODER_MODE_CLDEMOTE, ZYAN_TRUE);
}

Result<std::vector<Instruction>> X86Disassembler::Decode(std::span<const std::byte> code,
                                                         model::FileAddr begin) {
  std::vector<Instruction> instructions;
  instructions.reserve(code.size() / 4 + 1);
  std::span<const std::uint8_t> bytes = AsBytes(code);
  model::FileAddr address = begin;
  while (!bytes.empty()) {
    Instruction& instruction = instructions.emplace_back();
    instruction.address = address;
    DecodeOne(bytes, address.value, instruction);
    bytes = bytes.subspan(instruction.length);
    address = address + instruction.length;
  }
  return instructions;
}

void X86Disassembler::DecodeOne(std::span<const std::uint8_t> bytes, std::uint64_t address,
                                Instruction& result) {
  text_.Clear();
  decoded_.prefixes = ScanPrefixes(bytes, long_mode_);
  const PrefixScan& prefixes = decoded_.prefixes;
  switch (prefixes.kind) {
    case PrefixScan::Kind::kFwait:
      SpellPrefixes(result, static_cast<std::uint8_t>(prefixes.count + 1));
      text_.Add("fwait");
      result.text = text_.view();
      return;
    case PrefixScan::Kind::kAlone:
      SpellPrefixes(result, prefixes.count);
      result.text = text_.view().substr(0, text_.size() - 1);
      return;
    case PrefixScan::Kind::kCut:
      SpellCut(bytes[0], result);
      return;
    case PrefixScan::Kind::kInstruction:
      break;
  }
  decoded_.address = address;
  decoded_.long_mode = long_mode_;
  decoded_.segment_name = {};
  switch (DecodeBody(bytes)) {
    case Outcome::kInstruction:
      Spell(result);
      break;
    case Outcome::kCut:
      SpellCut(bytes[0], result);
      break;
    case Outcome::kInvalid:
      SpellInvalid(bytes, result);
  }
}

X86Disassembler::Outcome X86Disassembler::DecodeBody(std::span<const std::uint8_t> bytes) {
  const PrefixScan& prefixes = decoded_.prefixes;
  // Zydis has fwait as an instruction, and refuses a lock that is not allowed, which objdump shows.
  Outcome outcome = DecodeWithout(bytes, prefixes.fwait ? 0 : -1);
  if (outcome == Outcome::kInvalid && prefixes.lock_at >= 0)
    outcome = DecodeWithout(bytes, prefixes.lock_at);
  if (outcome != Outcome::kInstruction) return outcome;
  SelectOperands();
  const std::size_t modrm_at = prefixes.length + std::size_t{1};
  const bool alias = decoded_.is_x87() && modrm_at < bytes.size() &&
                     IsX87Alias(decoded_.raw.opcode, bytes[modrm_at]);
  return alias ? Outcome::kInvalid : outcome;
}

X86Disassembler::Outcome X86Disassembler::DecodeWithout(std::span<const std::uint8_t> bytes,
                                                        int skip_at) {
  std::array<std::uint8_t, ZYDIS_MAX_INSTRUCTION_LENGTH> rest{};
  if (skip_at >= 0) {
    const auto at = static_cast<std::size_t>(skip_at);
    const std::size_t count = std::min(bytes.size() - 1, rest.size());
    std::copy_n(bytes.begin(), at, rest.begin());
    std::copy_n(bytes.begin() + skip_at + 1, count - at, rest.begin() + skip_at);
    bytes = std::span(rest).first(count);
  }
  const ZyanStatus status = Zydis().decode(&decoder_, bytes.data(), bytes.size(), &decoded_.raw,
                                           decoded_.operands.data());
  if (status == ZYDIS_STATUS_NO_MORE_DATA) return Outcome::kCut;
  if (ZYAN_FAILED(status)) return Outcome::kInvalid;
  decoded_.length = static_cast<std::uint8_t>(decoded_.raw.length + (skip_at >= 0 ? 1 : 0));
  return decoded_.length <= ZYDIS_MAX_INSTRUCTION_LENGTH ? Outcome::kInstruction
                                                         : Outcome::kInvalid;
}

// Decodes the nearest instruction that there is, for its memory operand and its length.
bool X86Disassembler::DecodeStandIn(std::span<const std::uint8_t> bytes, ShownInvalid kind) {
  std::array<std::uint8_t, ZYDIS_MAX_INSTRUCTION_LENGTH> copy{};
  const std::size_t count = std::min(bytes.size(), copy.size());
  std::copy_n(bytes.begin(), count, copy.begin());
  const std::size_t opcode_at = decoded_.prefixes.length;
  if (kind == ShownInvalid::kX87Memory) {
    copy[opcode_at] = 0xd8;  // has no gaps
  } else {
    const int reg = copy[opcode_at + 1] >> 3U & 7U;
    copy[opcode_at + 1] &= 0xc7U;  // %es
    decoded_.segment_name = reg == 1 ? "cs" : "?";
  }
  const int skip_at = decoded_.prefixes.fwait ? 0 : decoded_.prefixes.lock_at;
  if (DecodeWithout(std::span(copy).first(count), skip_at) != Outcome::kInstruction) return false;
  SelectOperands();
  return true;
}

void X86Disassembler::SpellInvalid(std::span<const std::uint8_t> bytes, Instruction& result) {
  const std::span<const std::uint8_t> opcode = bytes.subspan(decoded_.prefixes.length);
  const ShownInvalid shown = WhatShows(opcode);
  if (shown != ShownInvalid::kNo && DecodeStandIn(bytes, shown)) {
    if (shown == ShownInvalid::kSegment) {
      Spell(result);
    } else {
      AddPrefixes(decoded_, syntax_, text_);
      text_.Add("(bad)");
      text_.PadTo(kMnemonicColumns);
      text_.Add(' ');
      AddAddress(decoded_, *decoded_.memory, syntax_, text_);
      result.length = decoded_.length;
      result.text = text_.view();
    }
    result.valid = false;
    result.flow = Flow::kNext;
    return;
  }
  const std::size_t length = InvalidLength(opcode);
  if (length > opcode.size()) {
    SpellCut(bytes[0], result);
    return;
  }
  SpellPrefixes(result, static_cast<std::uint8_t>(decoded_.prefixes.length + length));
  if (IsVectorEncoding(opcode[0]) && length > 2) text_.Clear();
  text_.Add("(bad)");
  result.text = text_.view();
  result.valid = false;
}

// The end of the code is inside the instruction: objdump shows its first byte and goes on.
void X86Disassembler::SpellCut(std::uint8_t byte, Instruction& result) {
  result.length = 1;
  result.valid = false;
  const std::string_view prefix = byte == 0x9b ? "fwait" : PrefixName(byte, long_mode_);
  if (prefix.empty()) {
    text_.Add(".byte ");
    text_.AddHexNumber(byte);
  } else {
    text_.Add(prefix);
  }
  result.text = text_.view();
}

void X86Disassembler::SelectOperands() {
  decoded_.memory = nullptr;
  decoded_.shown_count = 0;
  for (std::size_t i = 0; i < decoded_.raw.operand_count; ++i) {
    const ZydisDecodedOperand& operand = decoded_.operands[i];
    if (operand.encoding == ZYDIS_OPERAND_ENCODING_MASK) continue;
    if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && !ShowsHidden(decoded_, operand))
      continue;
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) decoded_.memory = &operand;
    decoded_.shown[decoded_.shown_count++] = &operand;
  }
  if (decoded_.shown_count > 0 && HidesLast(decoded_, syntax_)) --decoded_.shown_count;
  // The reserved register of a nop.
  if (decoded_.raw.mnemonic == ZYDIS_MNEMONIC_NOP && decoded_.shown_count == 2) {
    if (decoded_.shown[0]->encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG)
      decoded_.shown[0] = decoded_.shown[1];
    decoded_.shown_count = 1;
  }
}

void X86Disassembler::Spell(Instruction& result) {
  result.length = decoded_.length;
  SetFlow(decoded_, result);
  if (!spells_) return;
  AddPrefixes(decoded_, syntax_, text_);
  AddMnemonic(decoded_, syntax_, text_);
  const std::size_t mnemonic_end = text_.size();
  text_.PadTo(kMnemonicColumns);
  text_.Add(' ');
  const std::size_t operands_begin = text_.size();
  AddOperands(decoded_, syntax_, text_);
  const bool has_operands = text_.size() > operands_begin;
  result.text = text_.view().substr(0, has_operands ? text_.size() : mnemonic_end);
}

void X86Disassembler::SpellPrefixes(Instruction& result, std::uint8_t length) {
  result.length = length;
  for (std::size_t i = 0; i < decoded_.prefixes.count; ++i) {
    text_.Add(PrefixName(decoded_.prefixes.bytes[i], long_mode_));
    text_.Add(' ');
  }
}

}  // namespace prof::disasm::x86
