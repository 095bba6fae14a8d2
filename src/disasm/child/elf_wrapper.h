// The smallest ELF file that an objdump disassembles: one section of code at its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {

std::string WrapInElf(std::span<const std::byte> code, model::FileAddr begin,
                      const ElfMachine& machine);

}  // namespace prof::disasm
