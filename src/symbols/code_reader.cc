#include "symbols/code_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "symbols/code_references.h"
#include "symbols/elf_code.h"

namespace prof::symbols {

model::ModuleCode EmptyCode(const model::Module& module, std::span<const FunctionRange> functions) {
  model::ModuleCode code;
  code.module = module;
  code.functions.reserve(functions.size());
  for (const FunctionRange& function : functions) {
    model::FunctionCode& entry = code.functions.emplace_back();
    entry.start = function.start;
    entry.size = function.size;
    entry.name = function.name;
  }
  return code;
}

void AddDetail(std::string& detail, const std::string& text) {
  if (!text.empty()) detail += (detail.empty() ? "" : "; ") + text;
}

void NoteMissingCode(const std::string& where, model::ModuleCode& code) {
  const auto missing = std::ranges::count_if(
      code.functions, [](const model::FunctionCode& function) { return function.code.empty(); });
  if (missing == 0) return;
  AddDetail(code.detail, std::to_string(missing) + " of " + std::to_string(code.functions.size()) +
                             (missing == 1 ? " functions has" : " functions have") +
                             " no code in " + where);
}

void AddDwarfCode(OpenModule& module, std::uint64_t shift, model::ModuleCode& code) {
  std::string problem;
  DwarfIndex* index = module.Dwarf(problem);
  if (index == nullptr) {
    AddDetail(code.detail, problem.empty() ? "no lines: no debug information" : problem);
    return;
  }
  std::vector<DwarfFunction> wanted;
  for (const model::FunctionCode& function : code.functions) {
    const std::uint64_t begin = function.start.value - shift;
    const std::uint64_t size = std::min(function.size, model::kMaxFunctionBytes);
    // No function reaches around the end of the address space.
    wanted.push_back({begin, std::max(begin, begin + size), function.name});
  }
  std::vector<DwarfCode> found = index->ReadFunctions(wanted);
  for (std::size_t i = 0; i < found.size(); ++i) {
    model::FunctionCode& function = code.functions[i];
    function.files = std::move(found[i].files);
    function.lines = std::move(found[i].lines);
    function.inlined = std::move(found[i].inlined);
    if (shift == 0) continue;
    for (model::CodeLine& line : function.lines) line.address = line.address + shift;
    for (model::InlinedRange& range : function.inlined) {
      range.begin = range.begin + shift;
      range.end = range.end + shift;
    }
  }
  const std::string problems = index->Problems();
  AddDetail(code.detail, "DWARF of " + module.dwarf_file()->name() +
                             (problems.empty() ? "" : " (" + problems + ")"));
}

model::ModuleCode ReadElfCode(OpenModule& files, const model::Module& module,
                              std::span<const FunctionRange> functions,
                              const SymbolizerOptions& options) {
  model::ModuleCode code = EmptyCode(module, functions);
  const ElfFile& file = files.file();
  code.machine = MachineOf(file);
  code.detail = "code of " + file.name();
  for (model::FunctionCode& function : code.functions) {
    const auto bytes =
        CodeAt(file, function.start.value, std::min(function.size, model::kMaxFunctionBytes));
    function.code.assign(bytes.begin(), bytes.end());
  }
  NoteMissingCode(file.name(), code);
  if (options.inlines) AddDwarfCode(files, 0, code);
  if (options.references) {
    AddDetail(code.detail, AddReferences(
                               [&files](std::span<const model::FileAddr> addresses) {
                                 return NameReferences(files, addresses);
                               },
                               code));
  }
  code.detail += files.server_failure();
  return code;
}

}  // namespace prof::symbols
