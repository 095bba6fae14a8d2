// Reads range lists (DWARF 5, sections 2.17.3 and 7.25; DWARF 4, section 2.17.3).
#include "symbols/dwarf/range_list.h"

#include <dwarf.h>

#include <optional>

namespace prof::symbols {
namespace {

class ListReader {
 public:
  ListReader(const Unit& unit, std::span<const std::byte> bytes, std::uint64_t& budget,
             std::vector<CodeRange>& ranges)
      : unit_(unit), reader_(bytes), base_(unit.base_address()), budget_(budget), ranges_(ranges) {}

  void ReadBefore5() {
    const int size = unit_.header().sizes.address_bytes;
    const std::uint64_t selection = size == 8 ? ~std::uint64_t{0} : 0xffffffff;
    while (Pay()) {
      const std::uint64_t begin = ReadFixed(reader_, size);
      const std::uint64_t end = ReadFixed(reader_, size);
      if (!reader_.ok() || (begin == 0 && end == 0)) return;
      if (begin == selection)
        base_ = end;
      else
        Add(base_ + begin, base_ + end);
    }
  }

  void Read5() {
    while (Pay() && ReadOne5()) {
    }
  }

 private:
  bool Pay() {
    if (budget_ == 0 || !reader_.ok()) return false;
    --budget_;
    return true;
  }

  bool ReadOne5() {
    switch (reader_.U8()) {
      case DW_RLE_base_addressx:
        if (const auto base = Indexed()) base_ = *base;
        return reader_.ok();
      case DW_RLE_startx_endx: {
        const auto begin = Indexed();
        const auto end = Indexed();
        if (begin && end) Add(*begin, *end);
        return reader_.ok();
      }
      case DW_RLE_startx_length: {
        const auto begin = Indexed();
        const std::uint64_t size = reader_.Varint();
        if (begin) Add(*begin, *begin + size);
        return reader_.ok();
      }
      case DW_RLE_offset_pair: {
        const std::uint64_t begin = reader_.Varint();
        const std::uint64_t end = reader_.Varint();
        Add(base_ + begin, base_ + end);
        return reader_.ok();
      }
      case DW_RLE_base_address:
        base_ = Plain();
        return reader_.ok();
      case DW_RLE_start_end: {
        const std::uint64_t begin = Plain();
        Add(begin, Plain());
        return reader_.ok();
      }
      case DW_RLE_start_length: {
        const std::uint64_t begin = Plain();
        Add(begin, begin + reader_.Varint());
        return reader_.ok();
      }
      default:  // DW_RLE_end_of_list, and what nobody knows the size of
        return false;
    }
  }

  std::uint64_t Plain() { return ReadFixed(reader_, unit_.header().sizes.address_bytes); }
  std::optional<std::uint64_t> Indexed() { return unit_.IndexedAddress(reader_.Varint()); }

  void Add(std::uint64_t begin, std::uint64_t end) {
    if (reader_.ok() && begin != 0 && begin < end) ranges_.push_back({begin, end});
  }

  const Unit& unit_;
  ByteReader reader_;
  std::uint64_t base_;
  std::uint64_t& budget_;
  std::vector<CodeRange>& ranges_;
};

}  // namespace

bool ReadRanges(const Unit& unit, const FormValue& low, const FormValue& high,
                const FormValue& list, std::uint64_t& budget, std::vector<CodeRange>& ranges) {
  if (list.form != 0) {
    const auto found = unit.FindRangeList(list);
    if (!found) return true;
    ListReader reader(unit, found->bytes, budget, ranges);
    if (found->version5)
      reader.Read5();
    else
      reader.ReadBefore5();
    return true;
  }
  if (low.form == 0 || high.form == 0) return false;
  const auto begin = unit.Address(low);
  if (!begin || *begin == 0) return true;
  const auto end = unit.Address(high);
  const std::uint64_t limit = end ? *end : *begin + unit.Constant(high).value_or(0);
  if (*begin < limit) ranges.push_back({*begin, limit});
  return true;
}

}  // namespace prof::symbols
