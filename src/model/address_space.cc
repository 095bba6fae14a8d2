// Keeps a process's executable mappings as mmap and munmap change them.
#include "prof/model/address_space.h"

#include <atomic>
#include <iterator>

namespace prof::model {

namespace {

std::uint64_t NextGeneration() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

void AddressSpace::Map(const Mapping& mapping) {
  if (mapping.end <= mapping.start) return;
  Unmap(mapping.start, mapping.end);
  mappings_.insert_or_assign(mapping.start, mapping);
}

void AddressSpace::Unmap(RuntimeAddr start, RuntimeAddr end) {
  generation_ = NextGeneration();
  auto it = mappings_.upper_bound(start);
  if (it != mappings_.begin() && std::prev(it)->second.end > start) --it;
  while (it != mappings_.end() && it->second.start < end) {
    const Mapping old = it->second;
    it = mappings_.erase(it);
    if (old.start < start) {
      Mapping left = old;
      left.end = start;
      mappings_.insert_or_assign(left.start, left);
    }
    if (old.end > end) {
      Mapping right = old;
      right.file_offset = old.file_offset + (end - old.start);
      right.start = end;
      it = mappings_.insert_or_assign(right.start, right).first;
    }
  }
}

void AddressSpace::Clear() {
  generation_ = NextGeneration();
  mappings_.clear();
}

const Mapping* AddressSpace::Find(RuntimeAddr address) const {
  auto it = mappings_.upper_bound(address);
  if (it == mappings_.begin()) return nullptr;
  --it;
  return address < it->second.end ? &it->second : nullptr;
}

}  // namespace prof::model
