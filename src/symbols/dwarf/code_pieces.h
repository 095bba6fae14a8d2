// Code that nobody has claimed yet, in pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "symbols/dwarf/range_list.h"

namespace prof::symbols {

// Disjoint ranges of addresses, from which parts are taken away. Every operation costs the
// logarithm of the number of pieces, and the number of those it meets.
class CodePieces {
 public:
  CodePieces() = default;
  // `ranges` ascending and disjoint.
  explicit CodePieces(const std::vector<CodeRange>& ranges) {
    for (const CodeRange& range : ranges) Add(range);
  }

  // Disjoint from what is there.
  void Add(CodeRange range) { ends_.emplace_hint(ends_.end(), range.begin, range.end); }
  void Clear() { ends_.clear(); }
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] bool Overlaps(CodeRange range) const {
    const auto piece = FirstBehind(range.begin);
    return piece != ends_.end() && piece->first < range.end && range.begin < range.end;
  }
  // Removes what is inside `range` and appends it to `taken`, ascending.
  void Take(CodeRange range, std::vector<CodeRange>& taken) {
    if (range.begin >= range.end) return;
    auto piece = FirstBehind(range.begin);
    while (piece != ends_.end() && piece->first < range.end) {
      const CodeRange old{piece->first, piece->second};
      const CodeRange cut{std::max(old.begin, range.begin), std::min(old.end, range.end)};
      taken.push_back(cut);
      if (old.begin < cut.begin) {
        piece->second = cut.begin;
        ++piece;
      } else {
        piece = ends_.erase(piece);
      }
      if (cut.end < old.end) ends_.emplace_hint(piece, cut.end, old.end);
    }
  }

 private:
  using Ends = std::map<std::uint64_t, std::uint64_t>;  // by begin

  // The first piece that ends behind `address`.
  template <class Self>
  static auto FirstBehindIn(Self& ends, std::uint64_t address) {
    auto piece = ends.upper_bound(address);
    if (piece != ends.begin() && std::prev(piece)->second > address) --piece;
    return piece;
  }
  [[nodiscard]] Ends::const_iterator FirstBehind(std::uint64_t address) const {
    return FirstBehindIn(ends_, address);
  }
  Ends::iterator FirstBehind(std::uint64_t address) { return FirstBehindIn(ends_, address); }

  Ends ends_;
};

}  // namespace prof::symbols
