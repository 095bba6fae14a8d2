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
      : start_(start), bytes_(bytes) {}

  [[nodiscard]] std::uint64_t start() const { return start_; }

  [[nodiscard]] bool Read(std::uint64_t address, std::uint64_t& word) const {
    const std::uint64_t skip = address - start_;
    if (address < start_ || skip > bytes_.size() || bytes_.size() - skip < sizeof(word)) {
      return false;
    }
    std::memcpy(&word, bytes_.data() + skip, sizeof(word));
    return true;
  }

  // What it means that `address` could not be read. No stack is so large that an address beyond
  // this distance would be the part that was not copied.
  [[nodiscard]] model::StackEnd WhyUnreadable(std::uint64_t address) const {
    constexpr std::uint64_t kFarAway = std::uint64_t{64} << 20;
    const std::uint64_t skip = address - start_;
    const bool above = address >= start_ && skip + sizeof(std::uint64_t) > bytes_.size();
    return above && skip - bytes_.size() + sizeof(std::uint64_t) < kFarAway
               ? model::StackEnd::kTruncated
               : model::StackEnd::kUnreadable;
  }

 private:
  std::uint64_t start_;
  std::span<const std::byte> bytes_;
};

}  // namespace prof::unwind::walk
