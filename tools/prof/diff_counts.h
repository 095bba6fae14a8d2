// What `prof diff` says of files that `prof stat --save` wrote.
#pragma once

#include <vector>

#include "diff_arguments.h"

#include "prof/analysis/counts/merge_runs.h"
#include "prof/analysis/counts/stat_report.h"
#include "prof/base/result.h"
#include "prof/report/report_data.h"
#include "prof/report/stat_text.h"

namespace prof::tools {

// One file and what reading found out about it.
struct CountsFile {
  analysis::counts::SavedRuns saved;
  report::FileFacts facts;
};

// The comparison of the runs of all files. kUsage where options choose among samples or functions.
Result<analysis::counts::StatReport> CompareCounts(std::vector<CountsFile> before,
                                                   std::vector<CountsFile> after,
                                                   const DiffArguments& arguments);

// As prof stat --vs prints it.
std::string RenderCounts(const analysis::counts::StatReport& report, const DiffArguments& arguments,
                         const report::StatTextStyle& style);

}  // namespace prof::tools
