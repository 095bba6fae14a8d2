// Whether amounts are those of a run or of a second.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/run_reduction.h"

namespace prof::analysis::diff {

struct TimeBase {
  bool per_second = false;
  std::vector<std::string> warnings;
};

// Commands run from their beginning to their end, so that their runs are what is compared; of what
// was recorded for a while (-p, -t, -a, -C) seconds are.
[[nodiscard]] TimeBase FindTimeBase(const std::vector<ReducedRun>& runs);

}  // namespace prof::analysis::diff
