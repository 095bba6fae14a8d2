// An open-addressed hash table of indices into somebody else's array: 8 bytes a slot, no nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace prof::analysis {

// Mixes two words into a well spread hash (the finalizer of splitmix64).
[[nodiscard]] constexpr std::uint64_t MixHash(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL ^ (b + 0x632be59bd9b4e019ULL);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class IndexTable {
 public:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  // The index stored under `hash` for which `equal(index)` holds, else `fresh`, which is stored;
  // the caller sees from the answer whether it has to add an element.
  template <class Equal>
  std::uint32_t FindOrInsert(std::uint64_t hash, std::uint32_t fresh, Equal equal) {
    if ((used_ + 1) * 4 > slots_.size() * 3) Grow();
    Slot& slot = Probe(hash, equal);
    if (slot.index == kEmpty) {
      slot = {static_cast<std::uint32_t>(hash), fresh};
      ++used_;
    }
    return slot.index;
  }

  // kEmpty when there is none.
  template <class Equal>
  [[nodiscard]] std::uint32_t Find(std::uint64_t hash, Equal equal) const {
    if (slots_.empty()) return kEmpty;
    return const_cast<IndexTable*>(this)->Probe(hash, equal).index;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t index = kEmpty;
  };

  template <class Equal>
  Slot& Probe(std::uint64_t hash, Equal& equal) {
    const auto wanted = static_cast<std::uint32_t>(hash);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = wanted & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.index == kEmpty || (slot.hash == wanted && equal(slot.index))) return slot;
    }
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    std::swap(old, slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.index == kEmpty) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].index != kEmpty) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace prof::analysis
