// Keeps the changes of a process's mappings until they are settled.
#include "collect/mapping_history.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace prof::collect {

MappingHistory::MappingHistory() : base_(std::make_shared<model::AddressSpace>()) {}

MappingHistory::MappingHistory(std::shared_ptr<const model::AddressSpace> space)
    : base_(std::move(space)) {}

void MappingHistory::Insert(Change change) {
  const auto at = std::ranges::upper_bound(changes_, change.time_ns, {}, &Change::time_ns);
  const auto inserted = changes_.insert(at, std::move(change));
  for (auto it = inserted + 1; it != changes_.end(); ++it) it->after.reset();
}

void MappingHistory::Map(std::uint64_t time_ns, const model::Mapping& mapping) {
  Insert({.time_ns = time_ns, .mapping = mapping});
}

void MappingHistory::Replace(std::uint64_t time_ns,
                             std::shared_ptr<const model::AddressSpace> space) {
  if (changes_.empty() && base_->size() == 0) {
    base_ = std::move(space);
  } else {
    Insert({.time_ns = time_ns, .replacement = std::move(space)});
  }
}

std::shared_ptr<const model::AddressSpace> MappingHistory::At(std::uint64_t time_ns) {
  const auto end = std::ranges::upper_bound(changes_, time_ns, {}, &Change::time_ns);
  // Back to the last state that exists as a whole, and forward from there.
  auto from = end;
  std::shared_ptr<const model::AddressSpace> whole = base_;
  while (from != changes_.begin()) {
    const Change& change = *(from - 1);
    if (change.after != nullptr || change.replacement != nullptr) {
      whole = change.after != nullptr ? change.after : change.replacement;
      break;
    }
    --from;
  }
  if (from == end) return whole;
  auto space = std::make_shared<model::AddressSpace>(*whole);
  for (; from != end; ++from) space->Map(from->mapping);
  (end - 1)->after = space;
  return space;
}

std::shared_ptr<const model::AddressSpace> MappingHistory::Newest() {
  return At(std::numeric_limits<std::uint64_t>::max());
}

void MappingHistory::Settle(std::uint64_t time_ns) {
  const auto end = std::ranges::upper_bound(changes_, time_ns, {}, &Change::time_ns);
  if (end == changes_.begin()) return;
  base_ = At(time_ns);
  changes_.erase(changes_.begin(), end);
}

}  // namespace prof::collect
