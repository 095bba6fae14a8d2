// Disassembles arbitrary bytes as x86, in both modes and syntaxes, and parses them as what an
// objdump printed. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "disasm/child/objdump_text.h"

#include "prof/disasm/disassembler.h"

namespace {

using prof::disasm::Architecture;
using prof::disasm::Disassembler;
using prof::disasm::Instruction;
using prof::disasm::Syntax;

void CheckCover(std::span<const Instruction> instructions, std::uint64_t begin, std::size_t size) {
  std::uint64_t next = begin;
  for (const Instruction& instruction : instructions) {
    if (instruction.address.value != next || instruction.length == 0) std::abort();
    next += instruction.length;
  }
  if (next != begin + size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> code(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  constexpr prof::model::FileAddr kBegin{0xfffffff0};
  if ((data[0] & 4U) != 0) {
    const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
    for (const Instruction& instruction :
         prof::disasm::ParseObjdump(text, prof::model::FileAddr{0x400}, {0x10000}))
      if (instruction.address.value < 0x400) std::abort();
    return 0;
  }
  const Architecture architecture =
      (data[0] & 1U) != 0 ? Architecture::kX86_32 : Architecture::kX86_64;
  const Syntax syntax = (data[0] & 2U) != 0 ? Syntax::kIntel : Syntax::kAtt;
  auto disassembler = Disassembler::Create(architecture, {.syntax = syntax});
  if (!disassembler.has_value()) std::abort();
  const auto instructions = (*disassembler)->Decode(code, kBegin);
  CheckCover(*instructions, kBegin.value, code.size());
  return 0;
}
