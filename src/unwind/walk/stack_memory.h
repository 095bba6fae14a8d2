// The copied stack bytes of a sample, addressed as the thread addressed them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "prof/model/stack.h"

namespace prof::unwind::walk {

class StackMemory {
 public:
  StackMemory(std::uint64_t start, std::span<const std::byte> bytes)
      : start_(start),
        bytes_(bytes),
        readable_(bytes.size() < sizeof(std::uint64_t) ? 0
                                                       : bytes.size() - sizeof(std::uint64_t) + 1) {
  }

  [[nodiscard]] std::uint64_t start() const { return start_; }

  [[nodiscard]] bool Read(std::uint64_t address, std::uint64_t& word) const {
    const std::uint64_t skip = address - start_;  // huge for an address below
    if (skip >= readable_) return false;
    std::memcpy(&word, bytes_.data() + skip, sizeof(word));
    return true;
  }

  // What it means that `address`, which unwind information points to, could not be read. One frame
  // is never so large that an address beyond this distance would be the part that was not copied.
  [[nodiscard]] model::StackEnd WhyUnreadable(std::uint64_t address) const {
    constexpr std::uint64_t kLargestFrame = std::uint64_t{8} << 20;
    if (address >= start_ && address - start_ + sizeof(std::uint64_t) > bytes_.size() &&
        address - start_ - bytes_.size() + sizeof(std::uint64_t) < kLargestFrame) {
      return model::StackEnd::kTruncated;
    }
    return IsElsewhere(address) ? model::StackEnd::kOtherStack : model::StackEnd::kUnreadable;
  }

  // Whether an address outside the copied bytes can belong to another stack: it is one of user
  // memory, aligned, and not just below, where a stale register would point.
  [[nodiscard]] bool IsElsewhere(std::uint64_t address) const {
    constexpr std::uint64_t kJustBelow = std::uint64_t{64} << 10;
    constexpr std::uint64_t kLowest = std::uint64_t{64} << 10;  // vm.mmap_min_addr
    constexpr std::uint64_t kUserEnd = std::uint64_t{1} << 48;
    const bool just_below = address <= start_ && start_ - address <= kJustBelow;
    return address % 8 == 0 && address >= kLowest && address < kUserEnd && !just_below;
  }

 private:
  std::uint64_t start_;
  std::span<const std::byte> bytes_;
  std::uint64_t readable_;  // words begin below this distance from start_
};

}  // namespace prof::unwind::walk
