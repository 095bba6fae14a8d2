// From code bytes to instructions with samples and positions.
#include "analysis/annotate/instruction_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/code_blocks.h"

namespace prof::analysis {

FoundCode InstructionList::Fill(CopyPlan& plan) {
  CodeCopy& copy = plan.copy;
  copy.outside = copy.self;
  if (!options_.instructions) {
    copy.origin = "only lines were asked for";
    return {};
  }
  FoundCode found =
      lookup_.Find(copy.module, {.start = copy.start, .size = copy.size}, copy.linkage_name);
  copy.origin = found.origin;
  if (found.function == nullptr) return found;
  auto decoded = Decode(found);
  if (!decoded) {
    copy.origin = decoded.error().message;
    if (!decoded.error().hint.empty()) copy.origin += " (" + decoded.error().hint + ")";
    return found;
  }
  interned_.clear();
  positions_.clear();
  Place(plan, *found.function, *decoded);
  Count(plan, *decoded);
  Keep(copy, *found.function, *decoded);
  Link(copy, *found.function);
  return found;
}

Result<disasm::Disassembler*> InstructionList::DisassemblerFor(model::CodeMachine machine) {
  if (machine.number == 0) machine = MachineOf(profile_.info());
  auto tool = std::ranges::find(tools_, machine, &Tool::machine);
  if (tool == tools_.end()) {
    disasm::DisassemblerOptions options = options_.disassembly;
    options.machine = {
        .number = machine.number, .is_64 = machine.is_64, .big_endian = machine.big_endian};
    tools_.push_back({machine, disasm::Disassembler::Create(ArchitectureOf(machine), options)});
    tool = std::prev(tools_.end());
  }
  if (!tool->disassembler) return std::unexpected(tool->disassembler.error());
  return tool->disassembler->get();
}

Result<InstructionList::Decoded> InstructionList::Decode(const FoundCode& found) {
  const model::FunctionCode& code = *found.function;
  std::span<const std::byte> bytes = code.code;
  if (code.size != 0 && code.size < bytes.size()) bytes = bytes.first(code.size);
  // The hottest one in any case.
  if (decoded_bytes_ > 0 && decoded_bytes_ + bytes.size() > kMaxBytes) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("not disassembled: {} MB of code in hotter copies come before it",
                            decoded_bytes_ >> 20));
  }
  decoded_bytes_ += bytes.size();
  PROF_TRY_ASSIGN(disasm::Disassembler * disassembler, DisassemblerFor(found.machine));
  PROF_TRY_ASSIGN(Decoded decoded, disassembler->Decode(bytes, code.start));
  // What a child process prints is not trusted to be in order and within the code.
  std::uint64_t next = 0;
  const auto misplaced = std::ranges::find_if(decoded, [&](const disasm::Instruction& i) {
    const std::uint64_t offset = i.address - code.start;
    const bool bad = offset < next || offset > bytes.size() || i.length > bytes.size() - offset;
    next = offset + i.length;
    return bad || i.length == 0;
  });
  decoded.erase(misplaced, decoded.end());
  return decoded;
}

std::uint32_t InstructionList::Intern(Position position) {
  PositionKey key;
  for (const InlineStep& step : position) key.emplace_back(step.name, step.file, step.line);
  const auto fresh = static_cast<std::uint32_t>(positions_.size());
  const auto [entry, added] = interned_.try_emplace(std::move(key), fresh);
  if (added) positions_.push_back(std::move(position));
  return entry->second;
}

// kNoIndex when the chain does not have the annotated function.
std::uint32_t InstructionList::PositionOf(const CopyPlan& plan, const model::FunctionCode& code,
                                          std::span<const ChainStep> chain) {
  std::size_t level = chain.size();
  // The machine function of a copy of its own is the annotated one, by whatever name.
  if (!plan.copy.inlined) {
    --level;
  } else {
    while (level > 0 && !functions_.HasName(chain[level - 1].name)) --level;
    if (level-- == 0) return kNoIndex;
  }
  Position position;
  for (std::size_t i = 0; i <= level; ++i) {
    const bool machine_function = i + 1 == chain.size();
    position.push_back(
        {.name = machine_function ? plan.copy.name : texts_.Of(chain[i].name),
         .file = chain[i].line == 0 ? model::kNoFile : sources_.Of(code.files[chain[i].file]),
         .line = chain[i].line});
  }
  return Intern(std::move(position));
}

void InstructionList::Place(const CopyPlan& plan, const model::FunctionCode& code,
                            const Decoded& decoded) {
  place_.clear();
  CodeChains chains(code);
  std::uint32_t current = kNoIndex;
  for (const disasm::Instruction& instruction : decoded) {
    if (chains.MoveTo(instruction.address)) current = PositionOf(plan, code, chains.chain());
    place_.push_back(current);
  }
}

void InstructionList::Count(CopyPlan& plan, const Decoded& decoded) {
  plan.copy.outside = samples_.Zero();
  self_.assign(decoded.size(), samples_.Zero());
  for (const SelfHit& hit : plan.hits) {
    const model::FileAddr address = AddressOf(profile_, hit);
    const auto after =
        std::ranges::upper_bound(decoded, address, {}, &disasm::Instruction::address);
    const auto index = static_cast<std::size_t>(after - decoded.begin()) - 1;
    if (after == decoded.begin() || address - decoded[index].address >= decoded[index].length) {
      AddTo(plan.copy.outside, samples_.Self(hit.frame));
      continue;
    }
    AddTo(self_[index], samples_.Self(hit.frame));
    // Tables of the code that do not have the function here where the symbols do: it ran, so it is
    // shown.
    if (place_[index] == kNoIndex) {
      place_[index] = Intern(lines_.PositionOf(profile_.Locations(hit.node), hit.level));
    }
  }
}

// Of code that the function was inlined into, only its own instructions stay.
void InstructionList::Keep(CodeCopy& copy, const model::FunctionCode& code, Decoded& decoded) {
  const std::vector<bool> begins = BlockBeginnings(decoded);
  bool gap = true;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (place_[i] == kNoIndex) {
      gap = true;
      continue;
    }
    const std::uint64_t offset = decoded[i].address - code.start;
    const auto bytes = code.code.begin() + static_cast<std::ptrdiff_t>(offset);
    copy.instructions.push_back({.code = std::move(decoded[i]),
                                 .bytes = {bytes, bytes + decoded[i].length},
                                 .position = place_[i],
                                 .self = std::move(self_[i]),
                                 .target_name = {},
                                 .jumps_to = {},
                                 .begins_block = gap || begins[i]});
    gap = false;
  }
  copy.positions = std::move(positions_);
  copy.hot = HottestBlock(copy.instructions, samples_.Zero());
}

void InstructionList::Link(CodeCopy& copy, const model::FunctionCode& code) {
  for (AnnotatedInstruction& instruction : copy.instructions) {
    const disasm::Flow flow = instruction.code.flow;
    const bool jump = flow == disasm::Flow::kJump || flow == disasm::Flow::kConditionalJump;
    const auto& target = instruction.code.target;
    if (jump && target) instruction.jumps_to = IndexOf(copy.instructions, *target);
    if (target) {
      instruction.target_name = targets_.Of(copy, code, *target, flow == disasm::Flow::kCall);
    } else if (instruction.code.referred) {
      instruction.target_name = targets_.Of(copy, code, *instruction.code.referred, false);
    }
  }
}

}  // namespace prof::analysis
