// Samples that have something anywhere on their stacks, each counted once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/annotate/scoped_samples.h"

namespace prof::analysis {

// What the frames of a profile stand for, in the order of the frames: dense keys from 0, each at
// most once per frame.
class FrameKeys {
 public:
  // For the next frame.
  void Append(std::span<const std::uint32_t> keys) {
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    ends_.push_back(static_cast<std::uint32_t>(keys_.size()));
  }
  [[nodiscard]] std::span<const std::uint32_t> Of(std::uint32_t frame) const {
    const std::uint32_t begin = frame == 0 ? 0 : ends_[frame - 1];
    return std::span(keys_).subspan(begin, ends_[frame] - begin);
  }

 private:
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> ends_;
};

// By key. `keys` has every frame of the profile. Takes time for each node once, however deep
// recursion goes.
[[nodiscard]] std::vector<Amounts> CountOnStacks(const Profile& profile,
                                                 const ScopedSamples& samples,
                                                 const FrameKeys& keys, std::uint32_t key_count);

}  // namespace prof::analysis
