// Wraps comment lines, and says what is wrong with a profile's file.
#include "report/head_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/text_fit.h"

namespace prof::report {
namespace {

std::string Counted(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string Comment(const std::string& line, int width) {
  if (width == 0) return "# " + line + '\n';
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string text;
  std::string start = "# " + std::string(indent, ' ');
  for (const std::string& part : WrapWords(std::string_view(line).substr(indent),
                                           static_cast<std::size_t>(width) - start.size() - 2)) {
    text += start + part + '\n';
    start = "#   " + std::string(indent, ' ');
  }
  return text;
}

std::vector<std::string> FileLines(const FileFacts& file) {
  std::vector<std::string> lines;
  if (!file.complete) {
    std::string line = "the file is not complete: the recorder did not finish, or the file was cut";
    if (file.cut_bytes > 0)
      line += fmt::format("; its last {} bytes are not a whole block", file.cut_bytes);
    lines.push_back(std::move(line));
  } else if (file.cut_bytes > 0) {
    lines.push_back(
        fmt::format("{} bytes after the end of the profile were ignored", file.cut_bytes));
  }
  if (file.corrupt_blocks > 0)
    lines.push_back(fmt::format("{} of the file {} skipped",
                                Counted(file.corrupt_blocks, "damaged block"),
                                file.corrupt_blocks == 1 ? "was" : "were"));
  if (file.unknown_blocks > 0) {
    lines.push_back(fmt::format("{} of a newer version of prof {} skipped",
                                Counted(file.unknown_blocks, "block"),
                                file.unknown_blocks == 1 ? "was" : "were"));
  }
  return lines;
}

}  // namespace prof::report
