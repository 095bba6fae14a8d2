// What prof report prints of a file that prof stat --save wrote.
#pragma once

#include <string>
#include <vector>

#include "report_options.h"

#include "prof/analysis/counts/run_set.h"
#include "prof/base/result.h"
#include "prof/report/report_data.h"

namespace prof::tools {

// The counts as prof stat printed them, and what is wrong with the file. kUsage where the options
// choose among samples, which `runs` has none of.
Result<std::string> RenderSavedCounts(const analysis::counts::RunSet& runs,
                                      const report::FileFacts& file, const ReportOptions& options);

// Adds what is wrong with a file of counts; its damaged records are noted by StatReport itself.
void NoteFile(const report::FileFacts& file, std::vector<std::string>& notes);

}  // namespace prof::tools
