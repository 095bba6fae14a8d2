// Where control enters code, and which stretch of it is hot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

// Of all instructions of a machine function: whether a block begins at each.
[[nodiscard]] std::vector<bool> BlockBeginnings(std::span<const disasm::Instruction> code);

// The instruction that begins at `address`, in ascending ones.
[[nodiscard]] std::optional<std::uint32_t> IndexOf(std::span<const AnnotatedInstruction> code,
                                                   model::FileAddr address);

// The block with most of the first event; of equals the first. Nothing when no block has any.
[[nodiscard]] std::optional<CodeBlock> HottestBlock(std::span<const AnnotatedInstruction> code,
                                                    const Amounts& zero);

}  // namespace prof::analysis
