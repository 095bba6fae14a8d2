// Code, lines, inlined calls and references of functions of one ELF file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "symbols/module_files.h"

#include "prof/model/code.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {

// One entry for each of `functions`, with neither code nor lines yet.
model::ModuleCode EmptyCode(const model::Module& module, std::span<const FunctionRange> functions);

// Puts "; " between what is in `detail` and `text`.
void AddDetail(std::string& detail, const std::string& text);

// "3 of 20 functions have no code in FILE", when that is so.
void NoteMissingCode(const std::string& where, model::ModuleCode& code);

// Lines and inlined calls from the file's DWARF. The functions ran `shift` bytes above the
// addresses in the file.
void AddDwarfCode(OpenModule& module, std::uint64_t shift, model::ModuleCode& code);

// All of it, as the options want it.
model::ModuleCode ReadElfCode(OpenModule& files, const model::Module& module,
                              std::span<const FunctionRange> functions,
                              const SymbolizerOptions& options);

}  // namespace prof::symbols
