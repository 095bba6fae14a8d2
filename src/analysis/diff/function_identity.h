// What modules and functions are called whatever build they come from.
#pragma once

#include <string>
#include <string_view>

#include "prof/model/module.h"

namespace prof::analysis::diff {

// The base name, as reports show it; all JIT memory is one module, as its name is a process id.
[[nodiscard]] std::string ModuleIdentity(const model::Module& module);

// "libfoo.so" of "libfoo.so.1.2.3"; any other name as it is.
[[nodiscard]] std::string_view WithoutSoVersion(std::string_view module);

// The demangled name with its parameters, without what compilers append to clones ("f(int)" of
// "_Z1fi.isra.0") and without the hash of a Rust build ("::h0123456789abcdef").
[[nodiscard]] std::string FunctionIdentity(std::string_view linkage_name);

// An identity without parameter list and return type.
[[nodiscard]] std::string WithoutParameters(std::string_view identity);

}  // namespace prof::analysis::diff
