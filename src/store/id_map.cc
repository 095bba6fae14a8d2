// Finds ids among several runs of consecutive ones.
#include "store/id_map.h"

#include <algorithm>

namespace prof::store {

std::optional<std::uint32_t> IdMap::Search(std::uint64_t id) const {
  const auto after = std::ranges::upper_bound(older_, id, {}, &Range::in_file);
  if (after == older_.begin()) return std::nullopt;
  const Range& range = *(after - 1);
  if (id - range.in_file >= range.size) return std::nullopt;
  return static_cast<std::uint32_t>(range.out + (id - range.in_file));
}

}  // namespace prof::store
