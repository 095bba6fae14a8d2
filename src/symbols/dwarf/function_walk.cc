// Walks the entries of a unit, skipping everything without a wanted address.
#include "symbols/dwarf/function_walk.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "symbols/dwarf/dwarf_file.h"
#include "symbols/dwarf/entry_cursor.h"
#include "symbols/dwarf/range_list.h"

namespace prof::symbols {
namespace {

// Real programs nest below 100 levels; broken DWARF must not exhaust our stack.
constexpr int kMaxNesting = 400;
// What range lists in another file (split DWARF 4) may add to the size of a unit's own.
constexpr std::uint64_t kMinRangeBudget = 1 << 16;
// An address is in one range of each level around it; broken DWARF may put it into all.
constexpr std::uint64_t kHitsPerAddress = 512;

class UnitWalk {
 public:
  UnitWalk(const Unit& unit, std::span<const std::uint64_t> addresses)
      : unit_(unit),
        cursor_(unit),
        addresses_(addresses),
        range_budget_(kMinRangeBudget + unit.info().size() +
                      unit.file().sections()[DebugSection::kRanges].size() +
                      unit.file().sections()[DebugSection::kRnglists].size()),
        hit_budget_(addresses.size() * kHitsPerAddress),
        chains_(addresses.size()) {}

  UnitFunctions Run() {
    WalkAll();
    // Functions can be nested in types and in other functions, but hardly ever are, and types are
    // most of DWARF: look there only when an address is left over.
    if (std::ranges::any_of(chains_, [](const auto& chain) { return chain.entries.empty(); })) {
      everywhere_ = true;
      WalkAll();
    }
    return {std::move(chains_), malformed_};
  }

 private:
  enum class Cover : std::uint8_t { kNoRanges, kMiss, kHit };
  struct Hit {
    std::size_t index = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  // The wanted addresses inside the entry's ranges are left in hits_.
  Cover FindHits(const EntryShape& entry) {
    hits_.clear();
    if (!entry.abbreviation->code_ranges) return Cover::kNoRanges;
    ranges_.clear();
    if (!ReadRanges(unit_, entry.low, entry.high, entry.ranges, range_budget_, ranges_)) {
      return Cover::kNoRanges;
    }
    for (const CodeRange& range : ranges_) {
      auto it = std::ranges::lower_bound(addresses_, range.begin);
      for (; it != addresses_.end() && *it < range.end; ++it) {
        if (hit_budget_ == 0) {
          malformed_ = true;
          break;
        }
        --hit_budget_;
        hits_.push_back(
            {static_cast<std::size_t>(it - addresses_.begin()), range.begin, range.end});
      }
    }
    return hits_.empty() ? Cover::kMiss : Cover::kHit;
  }

  void WalkAll() {
    EntryShape root;
    if (!cursor_.Read(unit_.header().entries, root) || root.abbreviation == nullptr) {
      malformed_ = true;
    } else if (root.abbreviation->children) {
      Walk(root.next, 0, 0);
    }
  }

  // Visits the siblings from `at` on; `depth` is the length of the chain they would extend. The
  // position behind the last one, 0 when they are malformed.
  std::uint64_t Walk(std::uint64_t at, std::size_t depth, int nesting) {
    EntryShape entry;
    for (;;) {
      if (!cursor_.Read(at, entry)) {
        // Some compilers leave out the mark behind the last entry of a unit.
        malformed_ = malformed_ || at != unit_.header().end || nesting > 1;
        return 0;
      }
      if (entry.abbreviation == nullptr) return entry.next;
      if (nesting < kMaxNesting && Enters(entry, depth) && entry.abbreviation->children) {
        at = Walk(entry.next, child_depth_, nesting + 1);
      } else {
        at = cursor_.Skip(entry);
        malformed_ = malformed_ || at == 0;
      }
      if (at == 0) return 0;
    }
  }

  // Whether the children must be visited, and then, in child_depth_, what chain they extend.
  bool Enters(const EntryShape& entry, std::size_t depth) {
    child_depth_ = 0;
    switch (entry.abbreviation->tag) {
      case DW_TAG_subprogram:
        child_depth_ = 1;
        return EntersFunction(entry) || everywhere_;
      case DW_TAG_inlined_subroutine:
        child_depth_ = depth + 1;
        return EntersInlined(entry, depth);
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
        child_depth_ = depth;
        if (depth == 0 && !everywhere_) return false;
        return everywhere_ || FindHits(entry) != Cover::kMiss;
      case DW_TAG_namespace:
      case DW_TAG_module:
        return true;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        return everywhere_;
      default:
        return false;
    }
  }

  bool EntersFunction(const EntryShape& entry) {
    FindHits(entry);
    bool fresh = false;
    for (const Hit& hit : hits_) {
      FunctionChain& chain = chains_[hit.index];
      if (!chain.entries.empty()) continue;
      chain = {{Entry{&unit_, entry.offset}}, hit.begin, hit.end};
      fresh = true;
    }
    return fresh;
  }

  bool EntersInlined(const EntryShape& entry, std::size_t depth) {
    FindHits(entry);
    bool extended = false;
    for (const Hit& hit : hits_) {
      auto& entries = chains_[hit.index].entries;
      if (entries.size() != depth || depth == 0) continue;
      entries.push_back({&unit_, entry.offset});
      extended = true;
    }
    return extended;
  }

  const Unit& unit_;
  EntryCursor cursor_;
  std::span<const std::uint64_t> addresses_;
  std::uint64_t range_budget_;
  std::uint64_t hit_budget_;
  std::vector<FunctionChain> chains_;
  std::vector<CodeRange> ranges_;
  std::vector<Hit> hits_;
  std::size_t child_depth_ = 0;
  bool everywhere_ = false;
  bool malformed_ = false;
};

}  // namespace

UnitFunctions WalkUnit(const Unit& unit, std::span<const std::uint64_t> addresses) {
  return UnitWalk(unit, addresses).Run();
}

}  // namespace prof::symbols
