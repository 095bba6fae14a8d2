// Rules by module and file address, so that processes that run the same files share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/walk/rule.h"

#include "prof/model/address_space.h"

namespace prof::unwind::walk {

// Direct-mapped: a new rule takes the place of whatever was there. The slots belong to the owner,
// who must start them value-initialized.
class RuleCache {
 public:
  struct Slot {
    std::uint64_t address = 0;
    model::LoadedModule module = 0;
    bool used = false;
    bool ordinary = false;  // Rule::IsOrdinary
    Rule rule;
  };

  // `slots` is a power of two long, at least two.
  explicit RuleCache(std::span<Slot> slots) : slots_(slots) {
    for (std::size_t size = slots.size(); size > 1; size /= 2) --shift_;
  }

  // The slot in which the rule is or has to be put.
  Slot& SlotOf(model::LoadedModule module, std::uint64_t address) {
    // Fibonacci hashing: return addresses differ mostly in their low bits, modules in the product.
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    const std::uint64_t key = (address ^ (std::uint64_t{module} << 40)) * kGolden;
    return slots_[static_cast<std::size_t>(key >> shift_)];
  }

 private:
  std::span<Slot> slots_;
  unsigned shift_ = 64;
};

}  // namespace prof::unwind::walk
