// Compares the unwinder with libunwind alone over a recording.
#pragma once

#include <string>

#include "prof/base/result.h"

namespace prof::bench {

// A report for people: the share of stacks whose frames are the same, how the stacks of both ended,
// and by class the differing stacks and those that ended before they were complete, each with up to
// `examples` printed.
Result<std::string> CompareEngines(const std::string& path, std::size_t examples);

}  // namespace prof::bench
