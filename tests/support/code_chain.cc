#include "support/code_chain.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

namespace prof::test {
namespace {

std::string Position(const model::FunctionCode& function, std::uint32_t file, std::uint32_t line) {
  const std::string path = file == model::kNoFile ? "" : function.files.at(file);
  return path + ":" + std::to_string(line) + "\n";
}

// Ascending, nested, inside the function.
void ExpectWellFormed(const model::FunctionCode& function) {
  model::FileAddr line_before{};
  for (const model::CodeLine& line : function.lines) {
    EXPECT_GE(line.address, function.start);
    EXPECT_LT(line.address, function.start + function.size);
    EXPECT_GT(line.address, line_before);
    line_before = line.address;
  }
  std::map<std::uint32_t, model::InlinedRange> last;  // by depth
  std::tuple<model::FileAddr, std::uint32_t> before{};
  for (const model::InlinedRange& range : function.inlined) {
    EXPECT_GE(range.begin, function.start);
    EXPECT_LE(range.end, function.start + function.size);
    EXPECT_LT(range.begin, range.end);
    EXPECT_GT(std::tuple(range.begin, range.depth), before);
    before = {range.begin, range.depth};
    EXPECT_LE(last[range.depth].end, range.begin);
    if (range.depth > 1) {
      EXPECT_LE(last[range.depth - 1].begin, range.begin);
      EXPECT_GE(last[range.depth - 1].end, range.end);
    }
    last[range.depth] = range;
  }
}

}  // namespace

std::vector<model::FileAddr> CodeAddresses(const std::string& file) {
  std::vector<model::FileAddr> addresses;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const auto read = [&bytes](auto& value, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(value)) return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return true;
  };
  Elf64_Ehdr header{};
  Elf64_Shdr section{};
  EXPECT_TRUE(read(header, 0)) << file;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    if (!read(section, header.e_shoff + i * sizeof(section))) break;
    // Of code, all but procedure linkage tables: those have entries of a fixed size.
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_EXECINSTR) == 0) continue;
    if (section.sh_entsize != 0) continue;
    for (std::uint64_t at = 0; at < section.sh_size; ++at) {
      addresses.push_back({section.sh_addr + at});
    }
  }
  return addresses;
}

std::vector<symbols::FunctionRange> FunctionsOf(const model::ModuleSymbols& symbols) {
  std::vector<symbols::FunctionRange> functions;
  for (const model::AddressSymbols& symbol : symbols.addresses) {
    if (symbol.frames.empty() || symbol.function_size == 0) continue;
    functions.push_back({symbol.function_start, symbol.function_size, symbol.frames.back().name});
  }
  const auto key = [](const symbols::FunctionRange& function) {
    return std::tuple(function.start, function.size);
  };
  std::ranges::sort(functions, {}, key);
  functions.erase(std::ranges::unique(functions, {}, key).begin(), functions.end());
  return functions;
}

std::string ChainAt(const model::FunctionCode& function, model::FileAddr address) {
  const auto after =
      std::ranges::upper_bound(function.lines, address, {}, &model::CodeLine::address);
  std::string position = ":0\n";
  if (after != function.lines.begin()) {
    position = Position(function, std::prev(after)->file, std::prev(after)->line);
  }
  std::vector<const model::InlinedRange*> around;
  for (const model::InlinedRange& range : function.inlined) {
    if (range.begin <= address && address < range.end) around.push_back(&range);
  }
  std::ranges::sort(around, std::greater<>(), [](const auto* range) { return range->depth; });
  std::string chain;
  for (const model::InlinedRange* range : around) {
    chain += range->name + " " + position;
    position = Position(function, range->call_file, range->call_line);
  }
  return chain + function.name + " " + position;
}

std::string ChainOf(const model::AddressSymbols& symbols) {
  std::string chain;
  for (const model::SymbolFrame& frame : symbols.frames) {
    chain += frame.name + " " + frame.file + ":" + std::to_string(frame.line) + "\n";
  }
  return chain;
}

std::size_t ExpectSameChains(const model::ModuleSymbols& symbols, const model::ModuleCode& code) {
  std::map<model::FileAddr, std::vector<const model::FunctionCode*>> by_start;
  for (const model::FunctionCode& function : code.functions) {
    ExpectWellFormed(function);
    by_start[function.start].push_back(&function);
  }
  std::size_t compared = 0;
  for (const model::AddressSymbols& symbol : symbols.addresses) {
    if (symbol.frames.empty() || symbol.function_size == 0) continue;
    const auto found = by_start.find(symbol.function_start);
    if (found == by_start.end()) {
      ADD_FAILURE() << "no code of " << symbol.frames.back().name;
      continue;
    }
    const auto function =
        std::ranges::find(found->second, symbol.function_size, &model::FunctionCode::size);
    if (function == found->second.end()) continue;
    ++compared;
    EXPECT_EQ(ChainAt(**function, symbol.address), ChainOf(symbol))
        << std::hex << symbol.address.value << " " << code.detail;
    if (testing::Test::HasFailure()) return compared;
  }
  return compared;
}

}  // namespace prof::test
