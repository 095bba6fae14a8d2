// Rules by module and file address, so that processes that run the same files share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/walk/rule.h"

#include "prof/model/address_space.h"

namespace prof::unwind::walk {

// Two slots share a cache line and serve the same addresses; a new rule takes the place of the one
// that came before the other. (With one slot for an address, a fifth of the 7,000 addresses that a
// compiler's stacks meet would have to share 32,768 of them, and compiling a rule again takes as
// long as 50 frames.) The slots belong to the owner, who must start them value-initialized.
class RuleCache {
 public:
  struct Slot {
    std::uint64_t address = 0;
    model::LoadedModule module = 0;
    bool used = false;
    bool ordinary = false;  // Rule::IsOrdinary
    Rule rule;
  };

  // `slots` is a power of two long, at least four.
  explicit RuleCache(std::span<Slot> slots) : slots_(slots) {
    for (std::size_t pairs = slots.size() / 2; pairs > 1; pairs /= 2) --shift_;
  }

  // Null when the rule is not there; valid until the next Put().
  [[nodiscard]] const Slot* Find(model::LoadedModule module, std::uint64_t address) const {
    const Slot* pair = &slots_[PairOf(module, address)];
    if (Holds(pair[0], module, address)) return pair;
    return Holds(pair[1], module, address) ? pair + 1 : nullptr;
  }

  const Slot& Put(model::LoadedModule module, std::uint64_t address, const Rule& rule) {
    Slot* pair = &slots_[PairOf(module, address)];
    pair[1] = pair[0];
    pair[0] = {address, module, true, rule.IsOrdinary(), rule};
    return pair[0];
  }

 private:
  static bool Holds(const Slot& slot, model::LoadedModule module, std::uint64_t address) {
    return slot.address == address && slot.module == module && slot.used;
  }
  [[nodiscard]] std::size_t PairOf(model::LoadedModule module, std::uint64_t address) const {
    // Fibonacci hashing: return addresses differ mostly in their low bits, modules in the product.
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    const std::uint64_t key = (address ^ (std::uint64_t{module} << 40)) * kGolden;
    return static_cast<std::size_t>(key >> shift_) * 2;
  }

  std::span<Slot> slots_;
  unsigned shift_ = 64;
};
static_assert(sizeof(RuleCache::Slot) == 32);

}  // namespace prof::unwind::walk
