#include "prof/disasm/disassembler.h"

#include "disasm/child/objdump_disassembler.h"
#include "disasm/x86/x86_disassembler.h"
#include "disasm/x86/zydis_library.h"

namespace prof::disasm {

Result<std::unique_ptr<Disassembler>> Disassembler::Create(Architecture architecture,
                                                           const DisassemblerOptions& options) {
  if (architecture == Architecture::kX86_64 || architecture == Architecture::kX86_32) {
    if (!x86::TheZydisLibrary().has_value()) return std::unexpected(x86::TheZydisLibrary().error());
    return std::make_unique<x86::X86Disassembler>(architecture == Architecture::kX86_64,
                                                  options.syntax, options.text);
  }
  return ObjdumpDisassembler::Create(architecture, options);
}

}  // namespace prof::disasm
