// Groups wanted addresses by unit.
#include "symbols/dwarf/unit_finder.h"

#include <dwarf.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "symbols/dwarf/code_pieces.h"
#include "symbols/dwarf/range_list.h"

namespace prof::symbols {
namespace {

// The wanted addresses, by the unit they are in.
class WantedAddresses {
 public:
  explicit WantedAddresses(std::span<const model::FileAddr> wanted)
      : wanted_(wanted), found_(wanted.size(), false) {}

  [[nodiscard]] bool all_found() const { return found_count_ == wanted_.size(); }

  // The unit is only loaded once an address is in one of its ranges.
  template <class LoadUnit>
  void AddRange(CodeRange range, LoadUnit&& load) {
    auto it = std::ranges::lower_bound(wanted_, model::FileAddr{range.begin});
    for (; it != wanted_.end() && it->value < range.end; ++it) {
      const auto index = static_cast<std::size_t>(it - wanted_.begin());
      if (found_[index]) continue;
      const Unit* unit = load();
      if (unit == nullptr) return;
      Add(index, *unit);
    }
  }

  std::vector<UnitAddresses> Take() {
    for (UnitAddresses& unit : units_) {
      std::ranges::sort(unit.wanted);
      for (const std::uint32_t index : unit.wanted) {
        unit.addresses.push_back(wanted_[index].value);
      }
    }
    return std::move(units_);
  }

 private:
  void Add(std::size_t index, const Unit& unit) {
    found_[index] = true;
    ++found_count_;
    const auto [slot, fresh] = by_unit_.emplace(&unit, units_.size());
    if (fresh) units_.emplace_back().unit = &unit;
    units_[slot->second].wanted.push_back(static_cast<std::uint32_t>(index));
  }

  std::span<const model::FileAddr> wanted_;
  std::vector<bool> found_;
  std::size_t found_count_ = 0;
  std::vector<UnitAddresses> units_;
  std::unordered_map<const Unit*, std::size_t> by_unit_;
};

// The same for ranges.
class WantedRanges {
 public:
  explicit WantedRanges(const std::vector<CodeRange>& wanted) : left_(wanted) {}

  [[nodiscard]] bool all_found() const { return left_.empty(); }

  template <class LoadUnit>
  void AddRange(CodeRange range, LoadUnit&& load) {
    if (!left_.Overlaps(range)) return;
    const Unit* unit = load();
    if (unit == nullptr) return;
    const auto [slot, fresh] = by_unit_.emplace(unit, units_.size());
    if (fresh) units_.emplace_back().unit = unit;
    left_.Take(range, units_[slot->second].ranges);
  }

  std::vector<UnitCode> Take() {
    for (UnitCode& unit : units_) std::ranges::sort(unit.ranges, {}, &CodeRange::begin);
    return std::move(units_);
  }

 private:
  CodePieces left_;
  std::vector<UnitCode> units_;
  std::unordered_map<const Unit*, std::size_t> by_unit_;
};

// Gives the ranges of all units to `wanted`.
template <class Wanted>
class UnitFinder {
 public:
  UnitFinder(const DwarfFile& file, Wanted& wanted) : file_(file), wanted_(wanted) {}

  void Run() {
    ByAranges();
    if (!wanted_.all_found()) ByUnitRanges();
  }

 private:
  void ByAranges() {
    const auto section = file_.sections()[DebugSection::kAranges];
    for (std::size_t at = 0; at < section.size();) {
      ByteReader reader(section.subspan(at));
      std::uint64_t size = reader.U32();
      const int offset_bytes = size == 0xffffffff ? 8 : 4;
      if (offset_bytes == 8) size = reader.U64();
      if (!reader.ok() || size > reader.remaining()) return;
      const std::size_t end = at + reader.position() + static_cast<std::size_t>(size);
      ReadSet(section.first(end).subspan(at), offset_bytes);
      at = end;
    }
  }

  // The ranges of one unit; `set` begins with the length.
  void ReadSet(std::span<const std::byte> set, int offset_bytes) {
    ByteReader reader(set);
    reader.Skip(offset_bytes == 8 ? 12 : 4);
    reader.Skip(2);  // version
    const std::uint64_t unit_offset = ReadFixed(reader, offset_bytes);
    const int address_bytes = reader.U8();
    const int segment_bytes = reader.U8();
    if (!reader.ok() || (address_bytes != 4 && address_bytes != 8) || segment_bytes != 0) return;
    const std::size_t tuple = 2u * static_cast<std::size_t>(address_bytes);
    reader.Skip((tuple - reader.position() % tuple) % tuple);
    while (reader.remaining() >= tuple) {
      const std::uint64_t begin = ReadFixed(reader, address_bytes);
      const std::uint64_t length = ReadFixed(reader, address_bytes);
      if (begin == 0 && length == 0) break;
      if (begin == 0) continue;  // removed by the linker
      wanted_.AddRange({begin, begin + length}, [&] { return file_.UnitAt(unit_offset); });
    }
    listed_.insert(unit_offset);
  }

  void ByUnitRanges() {
    std::uint64_t budget = file_.sections()[DebugSection::kInfo].size() +
                           file_.sections()[DebugSection::kRanges].size() +
                           file_.sections()[DebugSection::kRnglists].size();
    std::vector<CodeRange> ranges;
    for (const UnitHeader& header : file_.headers()) {
      if (header.type != DW_UT_compile && header.type != DW_UT_skeleton) continue;
      if (listed_.contains(header.offset)) continue;
      const Unit* unit = file_.UnitAt(header.offset);
      if (unit == nullptr) continue;
      ranges.clear();
      const UnitRoot& root = unit->root();
      ReadRanges(*unit, root.low, root.high, root.ranges, budget, ranges);
      for (const CodeRange range : ranges) wanted_.AddRange(range, [&] { return unit; });
    }
  }

  const DwarfFile& file_;
  Wanted& wanted_;
  std::unordered_set<std::uint64_t> listed_;  // units that .debug_aranges knows
};

}  // namespace

std::vector<UnitAddresses> FindUnits(const DwarfFile& file,
                                     std::span<const model::FileAddr> wanted) {
  WantedAddresses addresses(wanted);
  UnitFinder(file, addresses).Run();
  return addresses.Take();
}

std::vector<UnitCode> FindUnitsOfRanges(const DwarfFile& file,
                                        const std::vector<CodeRange>& wanted) {
  WantedRanges ranges(wanted);
  UnitFinder(file, ranges).Run();
  return ranges.Take();
}

}  // namespace prof::symbols
