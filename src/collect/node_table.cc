// Hash table of stack nodes.
#include "collect/node_table.h"

namespace prof::collect {
namespace {

constexpr std::size_t kInitialSlots = 4096;

std::size_t Hash(model::StackId parent, std::uint32_t module_and_kind, std::uint64_t address) {
  // Multiplicative mixing (Knuth, The Art of Computer Programming, vol. 3, 6.4) of the three words.
  std::uint64_t hash = address * 0x9e3779b97f4a7c15U;
  hash ^= (static_cast<std::uint64_t>(parent) << 32 | module_and_kind) * 0xd6e8feb86659fd93U;
  hash ^= hash >> 32;
  return static_cast<std::size_t>(hash * 0x9e3779b97f4a7c15U >> 20);
}

}  // namespace

NodeTable::NodeTable() : slots_(kInitialSlots) {}

std::pair<model::StackId, bool> NodeTable::Insert(model::StackId parent, const NodeKey& key) {
  if ((size_ + 1) * 2 > slots_.size()) Grow();
  const std::uint32_t module_and_kind = key.module << 2 | static_cast<std::uint32_t>(key.kind);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = Hash(parent, module_and_kind, key.address.value) & mask;;
       at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.id == 0) {
      slot = {key.address.value, parent, module_and_kind,
              model::kStackRootCount + static_cast<model::StackId>(size_)};
      ++size_;
      return {slot.id, true};
    }
    if (slot.address == key.address.value && slot.parent == parent &&
        slot.module_and_kind == module_and_kind) {
      return {slot.id, false};
    }
  }
}

void NodeTable::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    std::size_t at = Hash(slot.parent, slot.module_and_kind, slot.address) & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void NodeTable::Clear() {
  slots_.assign(kInitialSlots, {});
  slots_.shrink_to_fit();
  size_ = 0;
}

}  // namespace prof::collect
