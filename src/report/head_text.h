// Comment lines at the head of reports.
#pragma once

#include <string>
#include <vector>

#include "prof/report/report_data.h"

namespace prof::report {

// "# " and one line, on a terminal (width above 0) broken into several with the rest indented.
std::string Comment(const std::string& line, int width);

// What is wrong with the file itself, one sentence each, without "# ".
std::vector<std::string> FileLines(const FileFacts& file);

}  // namespace prof::report
