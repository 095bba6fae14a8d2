// Source places of an annotated function as text: paths, lines, where something was inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

class SourcePlaces {
 public:
  // Paths are cut to their last component, or to as many as tell them apart, unless `full_paths`.
  SourcePlaces(const analysis::AnnotatedFunction& function, const AnnotateTextOptions& options);

  // "matmul.cc"; "??" for a file that is not known.
  [[nodiscard]] const std::string& Path(std::uint32_t file) const;
  // "matmul.cc:42"; the path alone for line 0.
  [[nodiscard]] std::string Place(std::uint32_t file, std::uint32_t line) const;
  // As it can be printed: tabs expanded, without blanks at the end.
  [[nodiscard]] std::optional<std::string> Text(std::uint32_t file, std::uint32_t line) const;
  [[nodiscard]] bool HasText(std::uint32_t file) const;
  // Of the last line whose text is known; 0: none.
  [[nodiscard]] std::uint64_t LineCount(std::uint32_t file) const;
  // "push_back stl_vector.h:1123, inlined at util.h:31 in helper, main.cc:40": the innermost
  // position and the calls that led there. On terminals in at most `width` columns: names are
  // folded, then the calls in between left out. 0: never cut.
  [[nodiscard]] std::string Chain(const analysis::Position& position, std::size_t width) const;
  // The same for a row below the line it was inlined into: without the last step.
  [[nodiscard]] std::string Inlined(const analysis::Position& position, std::size_t width) const;
  // The file of the function itself; kNoFile when no line is known.
  [[nodiscard]] std::uint32_t main_file() const { return main_file_; }
  // Whether a "file:line" query asked for this line.
  [[nodiscard]] bool IsMarked(std::uint32_t file, std::uint32_t line) const;

 private:
  [[nodiscard]] std::string Calls(const analysis::Position& position, std::size_t steps,
                                  std::size_t width) const;

  const analysis::AnnotatedFunction& function_;
  const AnnotateTextOptions& options_;
  std::vector<std::string> paths_;
  std::uint32_t main_file_ = model::kNoFile;
};

// The last components of each path, as many as tell different paths apart.
std::vector<std::string> ShortPaths(const std::vector<std::string_view>& paths);

}  // namespace prof::report
