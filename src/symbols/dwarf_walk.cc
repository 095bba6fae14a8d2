// Walks the entries of a compilation unit, skipping everything without a wanted address.
#include "symbols/dwarf_walk.h"

#include <dwarf.h>

#include <algorithm>

namespace prof::symbols {
namespace {

// Real programs nest below 100 levels; broken DWARF must not exhaust our stack.
constexpr int kMaxNesting = 400;

class UnitWalk {
 public:
  explicit UnitWalk(std::span<const std::uint64_t> addresses)
      : addresses_(addresses), chains_(addresses.size()) {}

  std::vector<FunctionChain> Run(Dwarf_Die unit) {
    Walk(unit, 0, 0);
    // Functions can be nested in types and in other functions, but hardly ever are, and types are
    // most of DWARF: look there only when an address is left over.
    if (std::ranges::any_of(chains_, [](const auto& chain) { return chain.entries.empty(); })) {
      everywhere_ = true;
      Walk(unit, 0, 0);
    }
    return std::move(chains_);
  }

 private:
  enum class Cover : std::uint8_t { kNoRanges, kMiss, kHit };
  struct Hit {
    std::size_t index = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  // The wanted addresses inside the entry's ranges are appended to hits_.
  Cover FindHits(Dwarf_Die& die) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Cover cover = Cover::kNoRanges;
    for (std::ptrdiff_t at = 0; (at = ::dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
      if (cover == Cover::kNoRanges) cover = Cover::kMiss;
      auto it = std::ranges::lower_bound(addresses_, begin);
      for (; it != addresses_.end() && *it < end; ++it) {
        cover = Cover::kHit;
        hits_.push_back({static_cast<std::size_t>(it - addresses_.begin()), begin, end});
      }
    }
    return cover;
  }

  // Visits the children of `parent`; `depth` is the length of the chain they would extend.
  void Walk(Dwarf_Die& parent, std::size_t depth, int nesting) {
    if (nesting > kMaxNesting) return;
    Dwarf_Die child;
    if (::dwarf_child(&parent, &child) != 0) return;
    for (;;) {
      Visit(child, depth, nesting);
      Dwarf_Die next;
      if (::dwarf_siblingof(&child, &next) != 0) return;
      // DW_AT_sibling of broken DWARF may point back.
      if (::dwarf_dieoffset(&next) <= ::dwarf_dieoffset(&child)) return;
      child = next;
    }
  }

  void Visit(Dwarf_Die& die, std::size_t depth, int nesting) {
    switch (::dwarf_tag(&die)) {
      case DW_TAG_subprogram:
        VisitFunction(die, nesting);
        return;
      case DW_TAG_inlined_subroutine:
        VisitInlined(die, depth, nesting);
        return;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
        if (depth == 0 && !everywhere_) return;
        if (FindHits(die) != Cover::kMiss || everywhere_) Walk(die, depth, nesting + 1);
        hits_.clear();
        return;
      case DW_TAG_namespace:
      case DW_TAG_module:
        Walk(die, 0, nesting + 1);
        return;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        if (everywhere_) Walk(die, 0, nesting + 1);
        return;
      default:
        return;
    }
  }

  void VisitFunction(Dwarf_Die& die, int nesting) {
    hits_.clear();
    bool fresh = false;
    if (FindHits(die) == Cover::kHit) {
      for (const Hit& hit : hits_) {
        FunctionChain& chain = chains_[hit.index];
        if (!chain.entries.empty()) continue;
        chain = {{die}, hit.begin, hit.end};
        fresh = true;
      }
    }
    hits_.clear();
    if (fresh || everywhere_) Walk(die, 1, nesting + 1);
  }

  void VisitInlined(Dwarf_Die& die, std::size_t depth, int nesting) {
    hits_.clear();
    FindHits(die);
    bool extended = false;
    for (const Hit& hit : hits_) {
      auto& entries = chains_[hit.index].entries;
      if (entries.size() != depth || depth == 0) continue;
      entries.push_back(die);
      extended = true;
    }
    hits_.clear();
    if (extended) Walk(die, depth + 1, nesting + 1);
  }

  std::span<const std::uint64_t> addresses_;
  std::vector<FunctionChain> chains_;
  std::vector<Hit> hits_;
  bool everywhere_ = false;
};

}  // namespace

std::vector<FunctionChain> WalkUnit(Dwarf_Die unit, std::span<const std::uint64_t> addresses) {
  return UnitWalk(addresses).Run(unit);
}

}  // namespace prof::symbols
