#include "symbols/dwarf/range_walk.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "symbols/dwarf/code_pieces.h"
#include "symbols/dwarf/dwarf_file.h"
#include "symbols/dwarf/entry_walk.h"

namespace prof::symbols {
namespace {

// What range lists in another file (split DWARF 4) may add to the size of a unit's own.
constexpr std::uint64_t kMinRangeBudget = 1 << 16;
// Beyond one for each byte of the unit: entries take some 20 bytes and have a few ranges.
constexpr std::uint64_t kMinPieceBudget = 1 << 14;

// The code of one function or inlined call that is not inlined from yet another one.
struct Level {
  CodePieces own;
  std::uint32_t depth = 0;
};

class RangeWalk : private EntryWalk<RangeWalk, Level*> {
 public:
  RangeWalk(const Unit& unit, const std::vector<CodeRange>& wanted)
      : EntryWalk(unit),
        wanted_(wanted),
        outside_(wanted),
        range_budget_(kMinRangeBudget + unit.info().size() +
                      unit.file().sections()[DebugSection::kRanges].size() +
                      unit.file().sections()[DebugSection::kRnglists].size()),
        piece_budget_(kMinPieceBudget + wanted.size() + unit.header().end - unit.header().offset) {}

  UnitRanges Run() {
    WalkAll();
    if (!outside_.empty()) {
      everywhere_ = true;
      WalkAll();
    }
    result_.malformed = malformed_;
    return std::move(result_);
  }

 private:
  friend EntryWalk;

  // The ranges of the entry in ranges_; false when it states none.
  bool ReadEntry(const EntryShape& entry) {
    ranges_.clear();
    return entry.abbreviation->code_ranges &&
           ReadRanges(unit_, entry.low, entry.high, entry.ranges, range_budget_, ranges_);
  }

  // Moves the code of the entry from `from` to the level below `nesting`. Whether there is any.
  bool Claim(const EntryShape& entry, CodePieces& from, std::uint32_t depth, int nesting,
             std::vector<CoveredCode>& covered) {
    auto& level = levels_[static_cast<std::size_t>(nesting)];
    if (level == nullptr) level = std::make_unique<Level>();
    level->own.Clear();
    level->depth = depth;
    child_ = level.get();
    taken_.clear();
    if (ReadEntry(entry)) {
      for (const CodeRange& range : ranges_) from.Take(range, taken_);
    }
    if (taken_.size() > piece_budget_) {
      malformed_ = true;
      return false;
    }
    piece_budget_ -= taken_.size();
    std::ranges::sort(taken_, {}, &CodeRange::begin);
    for (const CodeRange& range : taken_) {
      level->own.Add(range);
      const bool continues =
          !covered.empty() && covered.back().entry.offset == entry.offset &&
          covered.back().end == range.begin &&
          !std::ranges::binary_search(wanted_, range.begin, {}, &CodeRange::begin);
      if (continues)
        covered.back().end = range.end;
      else
        covered.push_back({{&unit_, entry.offset}, range.begin, range.end, depth});
    }
    return !taken_.empty();
  }

  bool EntersFunction(const EntryShape& entry, int nesting) {
    return Claim(entry, outside_, 0, nesting, result_.functions);
  }

  bool EntersInlined(const EntryShape& entry, Level* around, int nesting) {
    if (around == nullptr) return false;
    return Claim(entry, around->own, around->depth + 1, nesting, result_.inlined);
  }

  bool EntersBlock(const EntryShape& entry) {
    if (!ReadEntry(entry)) return true;
    return std::ranges::any_of(ranges_, [this](const CodeRange& range) {
      const auto next = std::ranges::upper_bound(wanted_, range.begin, {}, &CodeRange::end);
      return next != wanted_.end() && next->begin < range.end;
    });
  }

  const std::vector<CodeRange>& wanted_;
  CodePieces outside_;  // wanted code that no function was found for
  std::uint64_t range_budget_;
  std::uint64_t piece_budget_;
  std::array<std::unique_ptr<Level>, kMaxNesting> levels_;  // of the entries on the way down
  std::vector<CodeRange> ranges_;
  std::vector<CodeRange> taken_;
  UnitRanges result_;
};

}  // namespace

UnitRanges WalkUnitRanges(const Unit& unit, const std::vector<CodeRange>& wanted) {
  return RangeWalk(unit, wanted).Run();
}

}  // namespace prof::symbols
