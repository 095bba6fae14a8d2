#include "symbols/kernel_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "symbols/code_reader.h"
#include "symbols/code_references.h"
#include "symbols/elf_code.h"
#include "symbols/kcore.h"
#include "symbols/module_symbols.h"

namespace prof::symbols {
namespace {

using model::FileAddr;
using model::FunctionCode;
using model::ModuleCode;

std::uint64_t CodeSize(const FunctionCode& function) {
  return std::min(function.size, model::kMaxFunctionBytes);
}

// From the running kernel's memory. What kept it from that, or "".
std::string ReadFromMemory(const SymbolizerOptions& options, ModuleCode& code) {
  if (!options.running_kernel) return "recorded on another boot or kernel";
  const auto core = Kcore::Open(options.fs);
  if (!core) {
    return core.error().message +
           (core.error().kind == ErrorKind::kPermission ? " (only root may read it)" : "");
  }
  code.machine = core->machine();
  for (FunctionCode& function : code.functions) {
    function.code = core->Read(function.start.value, CodeSize(function));
  }
  AddDetail(code.detail, "code of /proc/kcore");
  NoteMissingCode("/proc/kcore", code);
  return {};
}

// Only functions that the file has a symbol of at their place: others were patched in, or are not
// of this kernel.
void ReadFromFile(const Vmlinux& vmlinux, const std::string& no_memory, ModuleCode& code) {
  const ElfFile& file = vmlinux.files->file();
  code.machine = MachineOf(file);
  std::vector<FileAddr> starts;
  for (const FunctionCode& function : code.functions) {
    starts.push_back(function.start - vmlinux.shift);
  }
  std::string tables;
  const std::vector<NamedRange> symbols = NameAddresses(*vmlinux.files, starts, tables);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    FunctionCode& function = code.functions[i];
    if (symbols[i].name.empty() || symbols[i].start != starts[i].value) continue;
    const auto bytes = CodeAt(file, starts[i].value, CodeSize(function));
    function.code.assign(bytes.begin(), bytes.end());
  }
  AddDetail(code.detail, "code of " + file.name() +
                             " as it was built, before the kernel patched it (" + no_memory + ")");
  NoteMissingCode(file.name(), code);
}

// Kallsyms knows the functions of modules, too; the file knows data.
std::vector<NamedRange> NameKernelReferences(const Kallsyms* kernel, const Vmlinux* vmlinux,
                                             std::span<const FileAddr> addresses) {
  std::vector<NamedRange> names(addresses.size());
  if (vmlinux != nullptr) {
    std::vector<FileAddr> unmoved;
    for (const FileAddr address : addresses) unmoved.push_back(address - vmlinux->shift);
    std::ranges::sort(unmoved);
    const std::vector<NamedRange> found = NameReferences(*vmlinux->files, unmoved);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto at = std::ranges::lower_bound(unmoved, addresses[i] - vmlinux->shift);
      names[i] = found[static_cast<std::size_t>(at - unmoved.begin())];
      names[i].start += vmlinux->shift;
    }
  }
  if (kernel == nullptr) return names;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!names[i].name.empty()) continue;
    const KernelSymbol symbol = kernel->FindAny(addresses[i].value);
    if (!symbol.name.empty()) names[i] = {symbol.start, symbol.size, std::string(symbol.name)};
  }
  return names;
}

}  // namespace

ModuleCode ReadKernelCode(const ModuleFileOpener& opener, const SymbolizerOptions& options,
                          const model::Module& module, std::span<const FunctionRange> functions,
                          const Kallsyms* kernel) {
  ModuleCode code = EmptyCode(module, functions);
  const std::string no_memory = ReadFromMemory(options, code);
  std::optional<Vmlinux> vmlinux;
  if (module.kind == model::ModuleKind::kKernelModule) {
    AddDetail(code.detail, no_memory);
    AddDetail(code.detail, no_memory.empty()
                               ? "no lines: files of kernel modules are not laid out yet"
                               : "files of kernel modules are not laid out yet, only /proc/kcore "
                                 "has their code");
  } else {
    auto found = FindVmlinux(opener, options, module, functions, kernel);
    if (found)
      vmlinux = std::move(*found);
    else
      AddDetail(code.detail, no_memory.empty() ? "no lines: " + found.error().message
                                               : no_memory + "; " + found.error().message);
  }
  if (vmlinux) {
    if (!no_memory.empty()) ReadFromFile(*vmlinux, no_memory, code);
    if (options.inlines) AddDwarfCode(*vmlinux->files, vmlinux->shift, code);
  }
  if (options.references && code.machine.number != 0) {
    AddDetail(code.detail, AddReferences(
                               [&](std::span<const FileAddr> addresses) {
                                 return NameKernelReferences(kernel, vmlinux ? &*vmlinux : nullptr,
                                                             addresses);
                               },
                               code));
  }
  return code;
}

}  // namespace prof::symbols
