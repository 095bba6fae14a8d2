// Machine code to text, with what annotate needs to know of an instruction: where it goes and what
// it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/address.h"

namespace prof::disasm {

enum class Architecture : std::uint8_t { kX86_64, kX86_32, kAarch64, kOther };
enum class Syntax : std::uint8_t { kAtt, kIntel };

// Where control goes after an instruction.
enum class Flow : std::uint8_t {
  kNext,             // on to the next one
  kJump,             // elsewhere, always
  kConditionalJump,  // elsewhere or on
  kCall,
  kReturn,
  kStop,  // hlt, ud2, int3: nowhere
};

struct Instruction {
  model::FileAddr address;
  std::uint8_t length = 0;  // bytes; of "(bad)" as objdump counts them
  bool valid = true;        // false: no instruction begins here, `text` says "(bad)", or ".byte"
                            // where the code ends inside an instruction
  Flow flow = Flow::kNext;
  // Of jumps and calls whose target is in the instruction; nothing for indirect ones.
  std::optional<model::FileAddr> target;
  // What a memory operand relative to the instruction pointer refers to.
  std::optional<model::FileAddr> referred;
  // As `objdump -d --no-show-raw-insn` prints it (binutils 2.40) without what only symbols know:
  // mnemonic padded to 6 columns, a space, operands; targets in hex without "0x", as objdump has
  // them; no "<symbol+0x..>", no "# address" comment behind. docs/annotate.md lists the differences
  // of style that remain.
  std::string text;
};

// What an ELF header says of a machine.
struct ElfMachine {
  std::uint16_t number = 0;  // e_machine
  bool is_64 = true;
  bool big_endian = false;
};

struct DisassemblerOptions {
  Syntax syntax = Syntax::kAtt;
  // False: Instruction::text of valid x86 instructions stays empty, which saves most of the time.
  bool text = true;
  ElfMachine machine = {};  // of Architecture::kOther; the others know theirs
  // objdump or llvm-objdump for what is not x86; looked for in PATH when empty.
  std::string objdump;
};

// One architecture. Not thread-safe.
class Disassembler {
 public:
  // x86 is decoded in process (Zydis; kUnsupported where its library is missing). Others run
  // objdump or llvm-objdump once per call of Decode, and here to see which of them knows the
  // architecture: kNotFound with the package to install when none does.
  static Result<std::unique_ptr<Disassembler>> Create(Architecture architecture,
                                                      const DisassemblerOptions& options);
  virtual ~Disassembler() = default;

  // All of `code`, whose first byte is at `begin`: instructions one behind the other, without gaps,
  // the last one cut as objdump would. x86 never fails on any bytes; others with kSystem when the
  // child process cannot be run, fails, or does not answer within 30 s.
  virtual Result<std::vector<Instruction>> Decode(std::span<const std::byte> code,
                                                  model::FileAddr begin) = 0;
};

}  // namespace prof::disasm
