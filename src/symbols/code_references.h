// What machine code refers to, by name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"

#include "prof/model/address.h"
#include "prof/model/code.h"

namespace prof::symbols {

// Names for ascending addresses; an empty name where nothing is known.
using AddressNamer =
    std::function<std::vector<NamedRange>(std::span<const model::FileAddr> addresses)>;

// Fills in the references of all functions of `code`, as `name` names them. Returns "", or what
// kept it from doing so, for people. x86 only: others take a child process to disassemble.
std::string AddReferences(const AddressNamer& name, model::ModuleCode& code);

// Functions, PLT entries ("memcpy@plt"), slots of global offset tables ("memcpy@got") and data
// objects of a module.
std::vector<NamedRange> NameReferences(OpenModule& module,
                                       std::span<const model::FileAddr> addresses);

}  // namespace prof::symbols
