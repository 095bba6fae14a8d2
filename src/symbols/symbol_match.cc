// Chooses the symbol that covers an address.
#include "symbols/symbol_match.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace prof::symbols {
namespace {

constexpr std::uint64_t kNoAddress = std::numeric_limits<std::uint64_t>::max();

std::size_t LeadingUnderscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

bool IsBetterSymbol(const Symbol& a, const Symbol& b) {
  const auto rank = [](const Symbol& s) {
    return std::tuple(s.size != 0, s.function, s.binding != Binding::kWeak,
                      s.binding == Binding::kGlobal,
                      -static_cast<std::ptrdiff_t>(LeadingUnderscores(s.name)), s.name.size());
  };
  return rank(a) > rank(b);
}

SymbolMatch::SymbolMatch(std::span<const model::FileAddr> wanted)
    : wanted_(wanted),
      sized_(wanted.size()),
      unsized_(wanted.size()),
      last_start_(wanted.size(), 0),
      next_start_(wanted.size(), kNoAddress) {}

void SymbolMatch::Offer(const Symbol& symbol) {
  const auto later = [](const Symbol& candidate, const Symbol& held) {
    if (held.name.empty() || candidate.start > held.start) return true;
    return candidate.start == held.start && IsBetterSymbol(candidate, held);
  };
  const auto first = std::ranges::lower_bound(wanted_, model::FileAddr{symbol.start});
  auto index = static_cast<std::size_t>(first - wanted_.begin());
  if (index > 0) next_start_[index - 1] = std::min(next_start_[index - 1], symbol.start);
  if (index == wanted_.size()) return;
  last_start_[index] = std::max(last_start_[index], symbol.start);
  if (symbol.size == 0) {
    if (later(symbol, unsized_[index])) unsized_[index] = symbol;
    return;
  }
  for (; index < wanted_.size() && wanted_[index].value - symbol.start < symbol.size; ++index) {
    if (later(symbol, sized_[index])) sized_[index] = symbol;
  }
}

std::vector<Symbol> SymbolMatch::Best() const {
  std::vector<Symbol> best = sized_;
  std::vector<std::uint64_t> next(wanted_.size(), kNoAddress);
  for (std::size_t i = wanted_.size(); i-- > 0;) {
    next[i] = i + 1 == wanted_.size() ? next_start_[i] : std::min(next_start_[i], next[i + 1]);
  }
  Symbol open;  // the unsized symbol that reaches up to here
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const std::uint64_t address = wanted_[i].value;
    if (!unsized_[i].name.empty()) open = unsized_[i];
    if (last_start_[i] > open.start) open = {};  // another symbol begins between it and the address
    if (open.name.empty() || address >= open.limit) continue;
    if (!best[i].name.empty() && best[i].start >= open.start) continue;
    best[i] = open;
    best[i].size = std::min(open.limit, next[i]) - open.start;
  }
  return best;
}

}  // namespace prof::symbols
