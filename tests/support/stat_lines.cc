// Takes lines of `prof stat -x,` apart.
#include "support/stat_lines.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace prof::test {

RunResult RunStat(const std::string& tool, const std::vector<std::string>& args,
                  const RunOptions& options) {
  std::vector<std::string> command = {tool, "stat"};
  command.insert(command.end(), args.begin(), args.end());
  return RunProgram(command, options);
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> FieldsOf(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line + ",");
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<std::vector<std::string>> RowsOf(const std::string& csv, const std::string& event) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : LinesOf(csv)) {
    std::vector<std::string> fields = FieldsOf(line);
    const auto name = std::ranges::find_if(
        fields, [&](const std::string& field) { return field == event || field == event + ":u"; });
    if (name == fields.end() || name - fields.begin() < 2) continue;
    fields.erase(fields.begin(), name - 2);
    rows.push_back(std::move(fields));
  }
  return rows;
}

std::optional<double> ValueOf(const std::string& csv, const std::string& event) {
  for (const auto& row : RowsOf(csv, event)) {
    char* end = nullptr;
    const double value = std::strtod(row[0].c_str(), &end);
    if (end != row[0].c_str()) return value;
  }
  return std::nullopt;
}

}  // namespace prof::test
