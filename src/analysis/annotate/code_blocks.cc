// Finds blocks by the jumps between instructions.
#include "analysis/annotate/code_blocks.h"

#include <algorithm>
#include <tuple>

#include "analysis/annotate/amounts.h"

namespace prof::analysis {
namespace {

using disasm::Flow;

bool IsHotter(const CodeBlock& a, const CodeBlock& b) {
  return std::tie(a.self[0].weight, a.self[0].samples) >
         std::tie(b.self[0].weight, b.self[0].samples);
}

}  // namespace

std::vector<bool> BlockBeginnings(std::span<const disasm::Instruction> code) {
  std::vector<bool> begins(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Flow flow = code[i].flow;
    const bool ends = flow == Flow::kJump || flow == Flow::kReturn || flow == Flow::kStop;
    if (i == 0) begins[i] = true;
    if (ends && i + 1 < code.size()) begins[i + 1] = true;
    if ((flow != Flow::kJump && flow != Flow::kConditionalJump) || !code[i].target) continue;
    const auto target =
        std::ranges::lower_bound(code, *code[i].target, {}, &disasm::Instruction::address);
    if (target != code.end() && target->address == *code[i].target) {
      begins[static_cast<std::size_t>(target - code.begin())] = true;
    }
  }
  return begins;
}

std::optional<std::uint32_t> IndexOf(std::span<const AnnotatedInstruction> code,
                                     model::FileAddr address) {
  const auto found = std::ranges::lower_bound(
      code, address, {}, [](const AnnotatedInstruction& i) { return i.code.address; });
  if (found == code.end() || found->code.address != address) return std::nullopt;
  return static_cast<std::uint32_t>(found - code.begin());
}

std::optional<CodeBlock> HottestBlock(std::span<const AnnotatedInstruction> code,
                                      const Amounts& zero) {
  if (zero.empty()) return std::nullopt;
  std::optional<CodeBlock> hottest;
  CodeBlock block{.self = zero};
  const auto close = [&] {
    const bool any = block.self[0] != Amount{};
    if (any && (!hottest || IsHotter(block, *hottest))) hottest = block;
  };
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (code[i].begins_block && i > 0) {
      close();
      block = {.first = i, .last = i, .self = zero};
    }
    block.last = i;
    AddTo(block.self, code[i].self);
    if (code[i].code.flow == Flow::kConditionalJump) {
      close();
      block = {.first = i + 1, .last = i + 1, .self = zero};
    }
  }
  close();
  return hottest;
}

}  // namespace prof::analysis
