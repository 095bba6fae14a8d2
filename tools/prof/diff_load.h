// Reads the files of `prof diff`: profiles one after the other into the comparison, or counts.
#pragma once

#include <optional>
#include <variant>

#include "diff_arguments.h"
#include "diff_counts.h"

#include "prof/analysis/counts/stat_report.h"
#include "prof/analysis/diff/profile_diff.h"
#include "prof/base/result.h"

namespace prof::tools {

using Comparison = std::variant<analysis::diff::ProfileDiff, analysis::counts::StatReport>;

// Each profile is in memory until the comparison has taken from it what it needs. kUsage where
// counts are to be compared with profiles.
Result<Comparison> CompareFiles(const SidePair& files, const DiffArguments& arguments);

}  // namespace prof::tools
