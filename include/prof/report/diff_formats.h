// `prof diff` for programs: JSON, folded stacks.
#pragma once

#include <string>

#include "prof/analysis/diff/profile_diff.h"

namespace prof::report {

// Everything that the diff has; amounts as they are, not rounded. docs/diff.md has the schema.
std::string RenderDiffJson(const analysis::diff::ProfileDiff& diff);

// One line per stack of `diff.events.front().tree`, "outer;inner BEFORE AFTER", as difffolded.pl
// prints: self amounts per run, in microseconds for clock events, rounded. Stacks without either
// are left out.
std::string RenderDiffFolded(const analysis::diff::ProfileDiff& diff);

}  // namespace prof::report
