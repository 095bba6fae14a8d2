// What `objdump -d -w --insn-width=15` prints, for comparisons with our own disassembler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prof/disasm/disassembler.h"

namespace prof::disasm {

struct ListedInstruction {
  std::uint64_t address = 0;
  std::size_t length = 0;
  std::string text;  // without symbols and comments
};

// Instructions one behind the other: a function, or what objdump took for one.
struct ListedBlock {
  std::uint64_t begin = 0;
  std::vector<std::byte> code;
  std::vector<ListedInstruction> instructions;

  // Data between functions shows as bytes that are no instruction.
  [[nodiscard]] bool HasInvalid() const;
};

std::vector<ListedBlock> ParseListing(std::string_view output);

struct Agreement {
  std::size_t instructions = 0;
  std::size_t differing = 0;
  std::size_t skipped = 0;  // in blocks that hold data
  std::string first;        // difference

  Agreement& operator+=(const Agreement& other);
};

// Length and text of every instruction.
Agreement Compare(Disassembler& disassembler, const std::vector<ListedBlock>& blocks);

}  // namespace prof::disasm
