// The events that can be compared.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/run_reduction.h"

namespace prof::analysis::diff {

struct CommonEvents {
  std::vector<std::string> names;     // in all runs; in the order of the last run
  std::vector<std::string> warnings;  // what is left out, one sentence per event
};

// kBadData: none; the message lists what there is.
[[nodiscard]] Result<CommonEvents> FindCommonEvents(const std::vector<ReducedRun>& runs);

// Null where the run lacks it.
[[nodiscard]] const ReducedEvent* FindEvent(const ReducedRun& run, const std::string& name);

}  // namespace prof::analysis::diff
