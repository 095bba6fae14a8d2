// Runs `prof stat` and takes its machine-readable lines apart; for live tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/run_process.h"

namespace prof::test {

// `tool` stat ARGS...
RunResult RunStat(const std::string& tool, const std::vector<std::string>& args,
                  const RunOptions& options);

std::vector<std::string> LinesOf(const std::string& text);
// The fields of a line of -x, that nothing is quoted in.
std::vector<std::string> FieldsOf(const std::string& line);
// The fields of all rows of `event` (":u" behind it does not matter), without label and time.
std::vector<std::vector<std::string>> RowsOf(const std::string& csv, const std::string& event);
// The number in front of `event`, in its first row that has one.
std::optional<double> ValueOf(const std::string& csv, const std::string& event);

}  // namespace prof::test
