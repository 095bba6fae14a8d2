// Compressed sections of ELF files.
#pragma once

#include <cstddef>
#include <vector>

#include "prof/unwind/elf_image.h"

namespace prof::unwind {

// The section's contents; empty when they cannot be had, or are not of the size the section states.
std::vector<std::byte> Inflate(const CompressedSection& section);

}  // namespace prof::unwind
