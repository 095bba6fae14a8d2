// Which symbol covers an address, when tables offer several.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/model/address.h"

namespace prof::symbols {

enum class Binding : std::uint8_t { kWeak = 0, kLocal = 1, kGlobal = 2 };

struct Symbol {
  std::uint64_t start = 0;
  std::uint64_t size = 0;   // 0: up to the next symbol, or `limit`
  std::uint64_t limit = 0;  // end of the section
  Binding binding = Binding::kLocal;
  bool function = true;  // false: an untyped label in code (assembly)
  std::string_view name;
};

// Of two symbols that begin at one address, the one to show. The order is perf's, so that both
// profilers name the same function: sized, typed, not weak, global, fewer leading underscores,
// longer.
bool IsBetterSymbol(const Symbol& a, const Symbol& b);

// Finds the symbols of a few wanted addresses in tables of any size in one pass and without sorting
// them: Offer() every symbol, then Best(). A wanted address goes to the covering symbol with the
// highest start. Names must outlive the object.
class SymbolMatch {
 public:
  explicit SymbolMatch(std::span<const model::FileAddr> wanted);
  void Offer(const Symbol& symbol);
  // One per wanted address; an empty name where nothing covers it. The size is filled in.
  [[nodiscard]] std::vector<Symbol> Best() const;

 private:
  std::span<const model::FileAddr> wanted_;
  std::vector<Symbol> sized_;  // per wanted address: best sized symbol that covers it
  // Per wanted address, of the symbols that begin after the previous wanted address and not after
  // this one: the last unsized one, and the start of the last one of any size.
  std::vector<Symbol> unsized_;
  std::vector<std::uint64_t> last_start_;
  std::vector<std::uint64_t>
      next_start_;  // first start after the wanted address and not after the next one
};

}  // namespace prof::symbols
