// Machine code of ELF files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "symbols/elf_file.h"

#include "prof/model/code.h"

namespace prof::symbols {

model::CodeMachine MachineOf(const ElfFile& file);

// At most `size` bytes of code from `address` on, borrowed from the file: of the section there, or
// of the segment in files without sections. Fewer where that ends; empty when there is none, as in
// debug files.
std::span<const std::byte> CodeAt(const ElfFile& file, std::uint64_t address, std::uint64_t size);

}  // namespace prof::symbols
