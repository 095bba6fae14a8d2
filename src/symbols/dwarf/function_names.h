// Names of functions from their debug entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf/unit.h"

namespace prof::symbols {

struct EntryHash {
  std::size_t operator()(const Entry& entry) const noexcept {
    return std::hash<const void*>{}(entry.unit) ^ (entry.offset * 0x9e3779b97f4a7c15u);
  }
};

// Static functions have no linkage name in DWARF, but one in the symbol table: where such a
// function was seen on its own, its inlined copies are called the same, so that both are one
// function. Clone suffixes (".isra.0") are not part of the name.
class LearnedNames {
 public:
  // `function`: the subprogram at an address that the symbol table calls `symbol`.
  void Learn(const Entry& function, std::string_view symbol);
  // Empty: nothing was learned about the entry (one without abstract origin).
  [[nodiscard]] std::string_view Find(const Entry& origin) const;
  void Merge(LearnedNames&& other) { by_origin_.merge(other.by_origin_); }

 private:
  std::unordered_map<Entry, std::string, EntryHash> by_origin_;
};

// The linkage name of a subprogram or inlined subroutine; for functions without one (anonymous
// namespaces, C) the name with the namespaces and classes around it. Remembers what it found,
// because the same functions are inlined again and again. Each thread has its own.
class FunctionNames {
 public:
  explicit FunctionNames(const LearnedNames& learned) : learned_(learned) {}
  const std::string& Of(const Entry& function);

 private:
  // An entry that has others below it.
  struct Scope {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // behind the last one below it
  };

  std::string QualifiedName(const Entry& function, std::size_t nesting);
  std::string ScopeOf(const Entry& target, std::size_t nesting);
  const std::vector<Scope>& ScopesIn(const Entry& parent);

  const LearnedNames& learned_;
  std::unordered_map<Entry, std::string, EntryHash> by_entry_;
  std::unordered_map<Entry, std::vector<Scope>, EntryHash> scopes_;  // the children of an entry
};

}  // namespace prof::symbols
