// Keeps runs of consecutive ids.
#include "store/id_map.h"

#include <algorithm>

namespace prof::store {

std::optional<std::uint32_t> IdMap::Define(std::uint64_t id) {
  if (id < next_in_file_) return std::nullopt;
  if (ranges_.empty() || id != next_in_file_) {
    ranges_.push_back({.in_file = id, .out = next_out_, .size = 0});
  }
  ++ranges_.back().size;
  next_in_file_ = id + 1;
  return static_cast<std::uint32_t>(next_out_++);
}

std::optional<std::uint32_t> IdMap::Search(std::uint64_t id) const {
  const auto after = std::ranges::upper_bound(ranges_, id, {}, &Range::in_file);
  if (after == ranges_.begin()) return std::nullopt;
  const Range& range = *(after - 1);
  if (id - range.in_file >= range.size) return std::nullopt;
  return static_cast<std::uint32_t>(range.out + (id - range.in_file));
}

}  // namespace prof::store
