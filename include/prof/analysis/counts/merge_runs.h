// Several measurements of prof stat as the two sides of one comparison.
#pragma once

#include <span>
#include <string>

#include "prof/analysis/counts/run_set.h"
#include "prof/base/result.h"

namespace prof::analysis::counts {

// What one file of prof stat --save has.
struct SavedRuns {
  std::string name;  // of the file
  RunSet runs;
};

// All runs of `before` as side 1 and all of `after` as side 0, so that ratios are after / before,
// in the order given. A side is called by its command, or by its files where the commands do not
// tell the sides apart. Events and metrics of the same name are the same, unless their unit
// differs, or whether the kernel was counted. Whatever makes the sides hard to compare (other
// machines, kernels, numbers of CPUs, targets) is among the notes of `info`. kBadData: a side
// without runs; a file that compares commands already (prof stat --vs).
Result<RunSet> MergeRuns(std::span<const SavedRuns> before, std::span<const SavedRuns> after);

}  // namespace prof::analysis::counts
