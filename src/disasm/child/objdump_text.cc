#include "disasm/child/objdump_text.h"

#include <charconv>
#include <string>

namespace prof::disasm {
namespace {

constexpr std::size_t kMnemonicColumns = 6;
constexpr std::uint64_t kMaxLength = 255;

std::string_view TrimEnd(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Cuts what begins at the first `mark`.
std::string_view CutAt(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

bool IsUndecoded(std::string_view text) {
  return text.starts_with(".") || text.starts_with("<unknown>") ||
         text.find("undefined") != std::string_view::npos;
}

struct Line {
  std::uint64_t address = 0;
  std::string_view text;
};

// "  400:\tret"
bool ParseLine(std::string_view line, Line& result) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), result.address, 16);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (!line.starts_with(':')) return false;
  line.remove_prefix(1);
  const std::size_t text = line.find_first_not_of(" \t");
  if (text == std::string_view::npos) return false;
  result.text = TrimEnd(line.substr(text));
  // llvm-objdump shows the bytes of data whatever it is asked for.
  const std::size_t tab = result.text.rfind("\t.");
  if (tab != std::string_view::npos) result.text.remove_prefix(tab + 1);
  return !result.text.starts_with('<') || result.text.starts_with("<unknown>");
}

}  // namespace

std::string CleanObjdumpText(std::string_view text) {
  text = CutAt(text, "//");
  text = CutAt(text, "\t;");
  text = CutAt(text, " ;");
  if (!text.starts_with('<')) text = CutAt(text, " <");
  text = TrimEnd(text);
  const std::size_t end = text.find_first_of(" \t");
  std::string result(text.substr(0, end));
  if (end == std::string_view::npos) return result;
  result.resize(std::max(result.size(), kMnemonicColumns), ' ');
  const std::size_t operands = text.find_first_not_of(" \t", end);
  result += ' ';
  for (const char c : text.substr(operands)) result += c == '\t' ? ' ' : c;
  return result;
}

std::vector<Instruction> ParseObjdump(std::string_view output, model::FileAddr begin,
                                      model::FileAddr end) {
  std::vector<Instruction> instructions;
  const auto finish = [&](std::uint64_t next) {
    if (!instructions.empty())
      instructions.back().length =
          static_cast<std::uint8_t>(next - instructions.back().address.value);
  };
  while (!output.empty()) {
    const std::size_t size = std::min(output.find('\n'), output.size());
    Line line;
    const bool parsed = ParseLine(output.substr(0, size), line);
    output.remove_prefix(std::min(size + 1, output.size()));
    if (!parsed || line.address < begin.value || line.address >= end.value) continue;
    const std::uint64_t floor =
        instructions.empty() ? begin.value : instructions.back().address.value + 1;
    const bool follows = instructions.empty() || line.address - floor < kMaxLength;
    if (line.address < floor || !follows) continue;
    finish(line.address);
    Instruction& instruction = instructions.emplace_back();
    instruction.address = {line.address};
    instruction.valid = !IsUndecoded(line.text);
    instruction.text = instruction.valid ? CleanObjdumpText(line.text) : "(bad)";
  }
  finish(end.value);
  return instructions;
}

}  // namespace prof::disasm
