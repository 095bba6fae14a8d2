// Linkage names to what people read.
#pragma once

#include <string>
#include <string_view>

namespace prof::symbols {

// C++ (Itanium), Rust v0 and Rust legacy names; anything else comes back unchanged. Suffixes such
// as ".cold",
// ".isra.0" and "@plt" are kept, as " [clone .cold]" is not: "f(int).cold". Thread-safe.
std::string Demangle(std::string_view linkage_name);

// Folds a demangled name for a narrow column: template arguments and parameter lists become "<...>"
// and nothing, return types and default allocators go: "std::vector<int>::push_back(int const&)" ->
// "std::vector<...>::push_back". operator<, operator(), lambdas ("{lambda(int)#1}") and "(anonymous
// namespace)" survive.
std::string FoldName(std::string_view demangled);

// A demangled name without parameter list and return type, as perf shows it:
// "void std::sort<int*>(int*, int*)" -> "std::sort<int*>".
std::string StripSignature(std::string_view demangled);

}  // namespace prof::symbols
