// Statistics as JSON, with the keys of docs/stat-formats.md.
#pragma once

#include <nlohmann/json.hpp>

#include "prof/analysis/counts/stat_report.h"

namespace prof::report {

// "mean", "median", "low", "high", "sd", "min", "max", "n", "cov", "trust": what is defined.
void AddSummary(const analysis::statistics::Summary& summary, nlohmann::ordered_json& json);

nlohmann::ordered_json ComparisonJson(const analysis::counts::SideComparison& comparison);

}  // namespace prof::report
