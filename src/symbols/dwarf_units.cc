// Groups wanted addresses by compilation unit.
#include "symbols/dwarf_units.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace prof::symbols {
namespace {

class UnitFinder {
 public:
  UnitFinder(Dwarf* dwarf, std::span<const model::FileAddr> wanted)
      : dwarf_(dwarf), wanted_(wanted), found_(wanted.size(), false) {}

  std::vector<UnitAddresses> Run() {
    ByAranges();
    if (std::ranges::find(found_, false) != found_.end()) ByUnitRanges();
    for (UnitAddresses& unit : units_) {
      std::ranges::sort(unit.wanted);
      for (const std::uint32_t index : unit.wanted) {
        unit.addresses.push_back(wanted_[index].value);
      }
    }
    return std::move(units_);
  }

 private:
  void Add(std::size_t index, Dwarf_Die unit) {
    found_[index] = true;
    const auto [slot, fresh] = by_offset_.emplace(::dwarf_dieoffset(&unit), units_.size());
    if (fresh) units_.emplace_back().unit = unit;
    units_[slot->second].wanted.push_back(static_cast<std::uint32_t>(index));
  }

  void ByAranges() {
    Dwarf_Aranges* aranges = nullptr;
    std::size_t count = 0;
    if (::dwarf_getaranges(dwarf_, &aranges, &count) != 0 || aranges == nullptr) return;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      Dwarf_Arange* range = ::dwarf_getarange_addr(aranges, wanted_[i].value);
      Dwarf_Off offset = 0;
      Dwarf_Die unit;
      if (range != nullptr && ::dwarf_getarangeinfo(range, nullptr, nullptr, &offset) == 0 &&
          ::dwarf_offdie(dwarf_, offset, &unit) != nullptr) {
        Add(i, unit);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Off unit_offset = 0;
      Dwarf_Arange* range = ::dwarf_onearange(aranges, i);
      if (::dwarf_getarangeinfo(range, nullptr, nullptr, &unit_offset) == 0) {
        listed_.insert(unit_offset);
      }
    }
  }

  void ByUnitRanges() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::uint8_t type = 0;
    while (::dwarf_get_units(dwarf_, unit, &unit, nullptr, &type, &die, nullptr) == 0) {
      if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
      if (listed_.contains(::dwarf_dieoffset(&die))) continue;
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (std::ptrdiff_t at = 0; (at = ::dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
        auto it = std::ranges::lower_bound(wanted_, model::FileAddr{begin});
        for (; it != wanted_.end() && it->value < end; ++it) {
          const auto index = static_cast<std::size_t>(it - wanted_.begin());
          if (!found_[index]) Add(index, die);
        }
      }
    }
  }

  Dwarf* dwarf_;
  std::span<const model::FileAddr> wanted_;
  std::vector<bool> found_;
  std::vector<UnitAddresses> units_;
  std::unordered_map<Dwarf_Off, std::size_t> by_offset_;
  std::unordered_set<Dwarf_Off> listed_;  // units that .debug_aranges knows
};

}  // namespace

std::vector<UnitAddresses> FindUnits(Dwarf* dwarf, std::span<const model::FileAddr> wanted) {
  return UnitFinder(dwarf, wanted).Run();
}

}  // namespace prof::symbols
