// The sentences of a diff: how much the total changed, which rows did it, how that is known.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/diff/profile_diff.h"

namespace prof::report {

// "p < 0.001", "p = 0.012"; in a column without "p = ": "<0.001", "0.012".
std::string DiffProbability(double p);

// "before: 3 runs (b1, b2, b3), 5.251 s (5.210 to 5.302), 15,753 samples".
std::string SideSentence(const analysis::diff::ProfileDiff& diff,
                         const analysis::diff::EventDiff& event, analysis::diff::Side side);

// How rows were tested, and what that is worth.
std::string TestSentence(const analysis::diff::ProfileDiff& diff,
                         const analysis::diff::EventDiff& event);

}  // namespace prof::report
