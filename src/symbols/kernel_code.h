// Code, lines and inlined calls of the kernel and its modules.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "symbols/kallsyms.h"
#include "symbols/module_files.h"

#include "prof/model/code.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {

// The kernel's own ELF file, not compressed, and how far above its addresses the kernel ran.
struct Vmlinux {
  std::unique_ptr<OpenModule> files;
  std::uint64_t shift = 0;  // KASLR
};

// Looks for the file as SymbolizerOptions::vmlinux, in the debug folders by its build ID, and where
// distributions and kernel builds put it. The file counts only when its build ID is the module's
// or, when that has none, the running kernel's; or when the user named it. The shift is what most
// of `functions` (and well-known functions of `kernel`, may be null) say who have a symbol of the
// same name there. kNotFound, or what is wrong with the last candidate.
Result<Vmlinux> FindVmlinux(const ModuleFileOpener& opener, const SymbolizerOptions& options,
                            const model::Module& module, std::span<const FunctionRange> functions,
                            const Kallsyms* kernel);

// kKernel and kKernelModule. `kernel`: the recorded kernel's symbols, for references; may be null.
model::ModuleCode ReadKernelCode(const ModuleFileOpener& opener, const SymbolizerOptions& options,
                                 const model::Module& module,
                                 std::span<const FunctionRange> functions, const Kallsyms* kernel);

}  // namespace prof::symbols
