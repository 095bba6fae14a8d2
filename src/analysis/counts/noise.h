// The witnesses of what disturbed runs.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {

// Sums over the runs (of the frequency the mean), and what of it is large on a machine with so many
// CPUs (0: not known).
NoiseLine NoiseOf(const std::vector<const Run*>& runs, std::uint32_t cpus);

// What stands out in `run` against the other ones and could account for the time it took longer,
// the strongest first, in words. `excess_s`: by how much it took longer, above 0.
std::vector<std::string> CausesOf(const Run& run, const std::vector<const Run*>& others,
                                  double excess_s);

}  // namespace prof::analysis::counts
