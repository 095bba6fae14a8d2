// What a reader must know about a report before believing it.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {

// Events with the same reason and hint together, in order of the first of each.
std::vector<RefusedLine> RefusedLines(const RunSet& runs);

// Restrictions, multiplexing, events that never had a counter, lost records, the recorder's notes.
std::vector<std::string> NotesOn(const RunSet& runs, const StatReportOptions& options);

// StatReport::target_text.
std::string TargetText(const RunSet& runs);

}  // namespace prof::analysis::counts
