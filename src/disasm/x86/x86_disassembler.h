// x86 in process: Zydis decodes, our own tables spell.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "disasm/x86/decoded.h"
#include "disasm/x86/invalid.h"
#include "disasm/x86/text_buffer.h"

#include "prof/disasm/disassembler.h"

namespace prof::disasm::x86 {

class X86Disassembler : public Disassembler {
 public:
  // `text`: whether instructions are spelled, not only decoded.
  X86Disassembler(bool long_mode, Syntax syntax, bool text = true);

  Result<std::vector<Instruction>> Decode(std::span<const std::byte> code,
                                          model::FileAddr begin) override;

 private:
  // Of the bytes at `address` on, at least one; sets its length to at least 1.
  void DecodeOne(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction& result);
  enum class Outcome : std::uint8_t { kInstruction, kInvalid, kCut };
  Outcome DecodeBody(std::span<const std::uint8_t> bytes);
  // Zydis over the bytes without the one at `skip_at` (-1: all of them).
  Outcome DecodeWithout(std::span<const std::uint8_t> bytes, int skip_at);
  bool DecodeStandIn(std::span<const std::uint8_t> bytes, ShownInvalid kind);
  void SelectOperands();
  void Spell(Instruction& result);
  void SpellInvalid(std::span<const std::uint8_t> bytes, Instruction& result);
  void SpellCut(std::uint8_t byte, Instruction& result);
  void SpellPrefixes(Instruction& result, std::uint8_t length);

  ZydisDecoder decoder_;
  bool long_mode_;
  Syntax syntax_;
  bool spells_;
  Decoded decoded_;
  TextBuffer text_;
};

}  // namespace prof::disasm::x86
