// The table of one event of a diff.
#pragma once

#include <string>

#include "report/diff_rows.h"

namespace prof::report {

// Headings, rows with their callers, what is folded, what is scarce, the total.
std::string RenderDiffTable(const analysis::diff::ProfileDiff& diff,
                            const analysis::diff::EventDiff& event, const PrintedDiff& printed,
                            const DiffTextOptions& options);

// Colour of a significant change: red for more, green for less.
const char* ChangeColor(const analysis::diff::Change& change);

// The callers of a row, as perf draws call graphs; empty without any.
std::string RenderCallerChanges(const std::vector<analysis::diff::CallerChange>& callers,
                                double row_change, const AmountScale& scale,
                                const DiffTextOptions& options);

}  // namespace prof::report
