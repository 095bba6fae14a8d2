// The same function in two recordings, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

// A source line that has samples on either side. A side without samples in it has no AnnotatedLine,
// but its number where the line is in its source too. The last row may be what has no line: both
// numbers are 0 then.
struct ComparedLine {
  std::optional<std::uint32_t> before;  // into AnnotateComparison::before.lines
  std::optional<std::uint32_t> after;   // into AnnotateComparison::after.lines
  std::uint32_t before_line = 0;        // in the source; 0: the side has no such line
  std::uint32_t after_line = 0;
  std::string file;  // path as recorded by the side that has it, after first
  std::string text;  // source text as after has it, else as before; where it is known
};

struct ComparedCopy {
  std::uint32_t before = 0;  // into AnnotatedFunction::copies
  std::uint32_t after = 0;
};

struct AnnotateComparison {
  // As they came in, but for events that only one of them has, and what has samples of those only.
  AnnotatedFunction before;
  AnnotatedFunction after;
  // File by file, in the order of the source after, removed lines in their place; files that only
  // the side before has behind them.
  std::vector<ComparedLine> lines;
  // Copies of one name whose code is the same byte for byte, but for the operands of calls, jumps
  // and references that moved with their targets: instruction i of the one is instruction i of the
  // other.
  std::vector<ComparedCopy> identical;
  std::vector<std::string> notes;  // "the code differs: compared by source line only", ...
};

// Files are matched by path, else by the longest common end of their paths. Their lines are aligned
// by text (the longest common run of equal lines, as diff does) where both sides have source text,
// by number else. Events are matched by name: the columns are those both have, in the order after;
// kUsage when there is none.
Result<AnnotateComparison> CompareAnnotations(AnnotatedFunction before, AnnotatedFunction after);

}  // namespace prof::analysis
