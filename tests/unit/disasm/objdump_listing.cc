#include "objdump_listing.h"

#include <algorithm>
#include <charconv>

namespace prof::disasm {
namespace {

std::string CleanText(std::string_view text) {
  text = text.substr(0, text.find("        # "));
  text = text.substr(0, text.find(" <"));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

// "  4010:\t48 89 e5 \tmov    %rsp,%rbp"
bool ParseLine(std::string_view line, ListedInstruction& instruction,
               std::vector<std::byte>& code) {
  const std::size_t colon = line.find(":\t");
  const std::size_t digits = line.find_first_not_of(' ');
  if (colon == std::string_view::npos || digits > colon) return false;
  const char* end = line.data() + colon;
  const auto [stop, error] = std::from_chars(line.data() + digits, end, instruction.address, 16);
  if (error != std::errc() || stop != end) return false;
  line.remove_prefix(colon + 2);
  while (line.size() > 2 && line[2] == ' ') {
    unsigned value = 0;
    if (std::from_chars(line.data(), line.data() + 2, value, 16).ptr != line.data() + 2) break;
    code.push_back(static_cast<std::byte>(value));
    ++instruction.length;
    line.remove_prefix(3);
  }
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || instruction.length == 0) return false;
  instruction.text = CleanText(line.substr(tab + 1));
  return true;
}

}  // namespace

bool ListedBlock::HasInvalid() const {
  return std::any_of(instructions.begin(), instructions.end(), [](const ListedInstruction& i) {
    return i.text.find("(bad)") != std::string::npos || i.text.starts_with(".byte");
  });
}

std::vector<ListedBlock> ParseListing(std::string_view output) {
  std::vector<ListedBlock> blocks;
  bool open = false;
  while (!output.empty()) {
    const std::size_t size = std::min(output.find('\n'), output.size());
    ListedInstruction instruction;
    std::vector<std::byte> code;
    const bool parsed = ParseLine(output.substr(0, size), instruction, code);
    output.remove_prefix(std::min(size + 1, output.size()));
    if (!parsed) {
      open = false;
      continue;
    }
    if (!open) blocks.push_back({.begin = instruction.address});
    open = true;
    blocks.back().code.insert(blocks.back().code.end(), code.begin(), code.end());
    blocks.back().instructions.push_back(std::move(instruction));
  }
  return blocks;
}

Agreement& Agreement::operator+=(const Agreement& other) {
  instructions += other.instructions;
  differing += other.differing;
  skipped += other.skipped;
  if (first.empty()) first = other.first;
  return *this;
}

Agreement Compare(Disassembler& disassembler, const std::vector<ListedBlock>& blocks) {
  Agreement result;
  for (const ListedBlock& block : blocks) {
    if (block.HasInvalid()) {
      result.skipped += block.instructions.size();
      continue;
    }
    const auto ours = disassembler.Decode(block.code, model::FileAddr{block.begin});
    if (!ours.has_value()) {
      result.differing += block.instructions.size();
      result.first = ours.error().message;
      return result;
    }
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      const ListedInstruction& expected = block.instructions[i];
      ++result.instructions;
      const Instruction* actual = i < ours->size() ? &(*ours)[i] : nullptr;
      if (actual != nullptr && actual->address.value == expected.address &&
          actual->length == expected.length && actual->text == expected.text)
        continue;
      ++result.differing;
      if (result.first.empty())
        result.first = "objdump: \"" + expected.text + "\", we: \"" +
                       (actual == nullptr ? "nothing" : actual->text) + "\"";
    }
  }
  return result;
}

}  // namespace prof::disasm
