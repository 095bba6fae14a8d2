// Names, lines and code of JIT functions out of jitdump files.
#include "symbols/jit_symbols.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "symbols/code_reader.h"
#include "symbols/code_references.h"

namespace prof::symbols {
namespace {

using model::AddressSymbols;
using model::FileAddr;

void AddLine(const JitDump::Lines& lines, AddressSymbols& symbols) {
  const auto behind =
      std::ranges::upper_bound(lines.rows, symbols.address, {}, &model::CodeLine::address);
  if (behind == lines.rows.begin()) return;
  const model::CodeLine& row = *(behind - 1);
  if (row.file < lines.files.size()) symbols.frames.front().file = lines.files[row.file];
  symbols.frames.front().line = row.line;
}

}  // namespace

JitDumps::JitDumps(std::span<const int> fds) {
  for (const int fd : fds) {
    auto dump = JitDump::Open(fd);
    AddDetail(problems_, dump ? dump->problem() : dump.error().message);
    if (dump) dumps_.push_back(std::move(*dump));
  }
}

std::string JitDumps::Names() const {
  std::string names;
  for (const JitDump& dump : dumps_) names += (names.empty() ? "" : ", ") + dump.name();
  return names;
}

void JitDumps::Merge(JitDump& dump, std::span<const JitLoad* const> loads,
                     std::vector<Found>& found) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i] == nullptr) continue;
    if (found[i].load == nullptr || found[i].load->time_ns <= loads[i]->time_ns) {
      found[i] = {&dump, loads[i]};
    }
  }
}

std::vector<JitDumps::Found> JitDumps::Find(std::span<const FileAddr> addresses) {
  std::vector<Found> found(addresses.size());
  for (JitDump& dump : dumps_) Merge(dump, dump.Find(addresses), found);
  return found;
}

std::vector<AddressSymbols> JitDumps::Resolve(std::span<const FileAddr> addresses, bool lines) {
  std::vector<AddressSymbols> result(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) result[i].address = addresses[i];
  const std::vector<Found> found = Find(addresses);
  // Function by function: code inside other code would have its lines read for each address.
  std::vector<std::size_t> order(addresses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(found[i].load, i); });
  const JitLoad* current = nullptr;
  std::string name;
  JitDump::Lines table;
  for (const std::size_t i : order) {
    const auto& [dump, load] = found[i];
    if (load == nullptr) continue;
    if (std::exchange(current, load) != load) {
      name = dump->NameOf(*load);
      table = lines ? dump->LinesOf(*load) : JitDump::Lines{};
    }
    if (name.empty()) continue;
    result[i].function_start = {load->start};
    result[i].function_size = load->size;
    result[i].frames.emplace_back().name = name;
    AddLine(table, result[i]);
  }
  return result;
}

std::vector<NamedRange> JitDumps::NamesAt(std::span<const FileAddr> addresses) {
  std::vector<NamedRange> names(addresses.size());
  const std::vector<Found> found = Find(addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto& [dump, load] = found[i];
    if (load != nullptr) names[i] = {load->start, load->size, dump->NameOf(*load)};
  }
  return names;
}

model::ModuleCode JitDumps::ReadCode(const model::Module& module,
                                     std::span<const FunctionRange> functions,
                                     const SymbolizerOptions& options) {
  model::ModuleCode code = EmptyCode(module, functions);
  if (dumps_.empty()) {
    code.detail = "JIT code: no jitdump file (node --perf-prof, python -X perf_jit)";
    AddDetail(code.detail, problems_);
    return code;
  }
  code.machine = dumps_.front().machine();
  code.detail = "code of " + Names();
  std::vector<Found> found(functions.size());
  for (JitDump& dump : dumps_) Merge(dump, dump.FindFunctions(functions), found);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& [dump, load] = found[i];
    if (load == nullptr) continue;
    code.functions[i].code = dump->CodeOf(*load);
    if (!options.inlines) continue;
    JitDump::Lines lines = dump->LinesOf(*load);
    code.functions[i].files = std::move(lines.files);
    code.functions[i].lines = std::move(lines.rows);
  }
  NoteMissingCode(Names(), code);
  AddDetail(code.detail, problems_);
  if (options.references) {
    AddDetail(code.detail,
              AddReferences([this](std::span<const FileAddr> at) { return NamesAt(at); }, code));
  }
  return code;
}

}  // namespace prof::symbols
