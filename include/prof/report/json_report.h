// `prof report --json`: the whole report for programs; docs/report.md has the schema.
#pragma once

#include <string>

#include "prof/report/report_data.h"

namespace prof::report {

// One JSON object and a newline. Text that is not UTF-8 has its broken bytes replaced.
std::string RenderJson(const ReportData& data);

}  // namespace prof::report
