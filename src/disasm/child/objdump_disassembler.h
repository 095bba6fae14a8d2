// Other architectures than x86: an objdump that knows them, as a child process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {

class ObjdumpDisassembler : public Disassembler {
 public:
  // Looks for a program that disassembles a few bytes for `options.machine`.
  static Result<std::unique_ptr<Disassembler>> Create(Architecture architecture,
                                                      const DisassemblerOptions& options);

  Result<std::vector<Instruction>> Decode(std::span<const std::byte> code,
                                          model::FileAddr begin) override;

 private:
  ObjdumpDisassembler(Architecture architecture, const ElfMachine& machine, std::string program)
      : architecture_(architecture), machine_(machine), program_(std::move(program)) {}

  Architecture architecture_;
  ElfMachine machine_;
  std::string program_;
};

}  // namespace prof::disasm
