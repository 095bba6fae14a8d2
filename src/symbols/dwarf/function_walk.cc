// Walks the entries of a unit, skipping everything without a wanted address.
#include "symbols/dwarf/function_walk.h"

#include <algorithm>
#include <utility>

#include "symbols/dwarf/dwarf_file.h"
#include "symbols/dwarf/entry_walk.h"
#include "symbols/dwarf/range_list.h"

namespace prof::symbols {
namespace {

// What range lists in another file (split DWARF 4) may add to the size of a unit's own.
constexpr std::uint64_t kMinRangeBudget = 1 << 16;
// An address is in one range of each level around it; broken DWARF may put it into all.
constexpr std::uint64_t kHitsPerAddress = 512;

// Knows of an entry how long the chain is that its children would extend.
class UnitWalk : private EntryWalk<UnitWalk, std::size_t> {
 public:
  UnitWalk(const Unit& unit, std::span<const std::uint64_t> addresses)
      : EntryWalk(unit),
        addresses_(addresses),
        range_budget_(kMinRangeBudget + unit.info().size() +
                      unit.file().sections()[DebugSection::kRanges].size() +
                      unit.file().sections()[DebugSection::kRnglists].size()),
        hit_budget_(addresses.size() * kHitsPerAddress),
        chains_(addresses.size()) {}

  UnitFunctions Run() {
    WalkAll();
    // Only an address that is left over is worth the way into types and nested functions.
    if (std::ranges::any_of(chains_, [](const auto& chain) { return chain.entries.empty(); })) {
      everywhere_ = true;
      WalkAll();
    }
    return {std::move(chains_), malformed_};
  }

 private:
  friend EntryWalk;
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

  bool EntersFunction(const EntryShape& entry, int /*nesting*/) {
    child_ = 1;
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

  bool EntersInlined(const EntryShape& entry, std::size_t depth, int /*nesting*/) {
    child_ = depth + 1;
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

  bool EntersBlock(const EntryShape& entry) { return FindHits(entry) != Cover::kMiss; }

  std::span<const std::uint64_t> addresses_;
  std::uint64_t range_budget_;
  std::uint64_t hit_budget_;
  std::vector<FunctionChain> chains_;
  std::vector<CodeRange> ranges_;
  std::vector<Hit> hits_;
};

}  // namespace

UnitFunctions WalkUnit(const Unit& unit, std::span<const std::uint64_t> addresses) {
  return UnitWalk(unit, addresses).Run();
}

}  // namespace prof::symbols
