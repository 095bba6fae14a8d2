// What is to be said about the numbers of a side: run by run, outliers, drift, histogram, noise.
#pragma once

#include <string>

#include "prof/report/stat_text.h"

namespace prof::report {

// perf's "# Table of individual measurements:", with what disturbed each run behind its row.
// Nothing without rows.
std::string MeasurementTable(const analysis::counts::StatSide& side, const StatTextStyle& style);

// Verdicts of metrics and metrics without a row, then what is known about the runs; one line each.
std::string SideRemarks(const analysis::counts::StatSide& side, const StatTextStyle& style);

}  // namespace prof::report
