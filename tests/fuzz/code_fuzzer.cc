// Reads functions of arbitrary bytes as an ELF file: code, line table, inlined ranges, references;
// and holds the answer to what the model promises.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/dwarf/dwarf_index.h"
#include "symbols/elf_code.h"
#include "symbols/elf_symbols.h"

#include "prof/symbols/symbolizer.h"

namespace {

using namespace prof;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckLines(const std::vector<model::CodeLine>& lines, std::size_t files, std::uint64_t begin,
                std::uint64_t end) {
  std::uint64_t before = 0;
  for (const model::CodeLine& line : lines) {
    Require(line.address.value >= begin && line.address.value < end);
    Require(line.address.value > before || line.address.value == 0);
    Require(line.file == model::kNoFile || line.file < files);
    before = line.address.value;
  }
}

void CheckInlined(const std::vector<model::InlinedRange>& inlined, std::size_t files,
                  std::uint64_t begin, std::uint64_t end) {
  std::map<std::uint32_t, std::uint64_t> ends;  // of the last one of each depth
  for (const model::InlinedRange& range : inlined) {
    Require(range.begin < range.end && range.depth > 0);
    Require(range.begin.value >= begin && range.end.value <= end);
    Require(range.call_file == model::kNoFile || range.call_file < files);
    Require(ends[range.depth] <= range.begin.value);
    if (range.depth > 1) Require(ends[range.depth - 1] >= range.end.value);
    ends[range.depth] = range.end.value;
  }
}

// Functions side by side, inside one another, and around the end of the address space.
const std::vector<symbols::FunctionRange>& Wanted() {
  static const std::vector<symbols::FunctionRange> wanted = [] {
    std::vector<symbols::FunctionRange> functions;
    for (std::uint64_t start = 0; start < 0x1800; start += 0x40) {
      functions.push_back({{start}, 0x40, "_ZN4name5cloneEv.part.0"});
    }
    functions.push_back({{0x1800}, 0x400, "outer"});
    functions.push_back({{0x1880}, 0x10, "inner"});
    functions.push_back({{0x2000}, 0, "empty"});
    functions.push_back({{~std::uint64_t{0} - 8}, 64, "last"});
    return functions;
  }();
  return wanted;
}

// By way of the DWARF reader alone, where the file is its own dwz file.
void ReadDwarf(const symbols::ElfFile& file) {
  auto index = symbols::DwarfIndex::Open(file, {.alternate = &file});
  if (!index) return;
  std::vector<symbols::DwarfFunction> functions;
  for (const symbols::FunctionRange& function : Wanted()) {
    const std::uint64_t begin = function.start.value;
    functions.push_back({begin, std::max(begin, begin + function.size), function.name});
  }
  const auto code = (*index)->ReadFunctions(functions);
  Require(code.size() == functions.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    CheckLines(code[i].lines, code[i].files.size(), functions[i].begin, functions[i].end);
    CheckInlined(code[i].inlined, code[i].files.size(), functions[i].begin, functions[i].end);
  }
  static_cast<void>((*index)->Problems());
}

void ReadWhole(std::span<const std::byte> bytes) {
  model::Module module;
  module.kind = model::ModuleKind::kElf;
  module.path = "/no/such/file";
  symbols::SymbolizerOptions options;
  options.debug_dirs.clear();
  symbols::Symbolizer symbolizer(options);
  const auto code = symbolizer.ReadCode(module, Wanted(), {.image = bytes});
  Require(code.functions.size() == Wanted().size());
  for (const model::FunctionCode& function : code.functions) {
    Require(function.code.size() <= function.size);
    for (std::size_t i = 1; i < function.references.size(); ++i) {
      Require(function.references[i - 1].address < function.references[i].address);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto file = symbols::ElfFile::FromBytes({bytes.begin(), bytes.end()}, "fuzz");
  if (!file) return 0;
  ReadDwarf(**file);
  // The symbolizer maps its files, and makes pages of them writable.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t whole = (size + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, whole);
  if (memory == nullptr) return 0;
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(memory));
  ReadWhole(std::span(static_cast<const std::byte*>(memory), size));
  std::free(memory);
  return 0;
}
