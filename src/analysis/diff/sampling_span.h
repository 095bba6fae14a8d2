// When a recording was sampled.
#pragma once

#include <cstdint>

#include "prof/analysis/diff/diff_builder.h"

namespace prof::analysis::diff {

struct SamplingSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  // Whether at least half of the samples have a time: else they cannot be told apart by it.
  bool timed = false;

  [[nodiscard]] double Seconds() const {
    return end_ns > begin_ns ? static_cast<double>(end_ns - begin_ns) / 1e9 : 0;
  }
};

// As the recorder states it, else from the first sample to the last; cut to the recording's --time.
[[nodiscard]] SamplingSpan SpanOf(const Recording& recording);

}  // namespace prof::analysis::diff
