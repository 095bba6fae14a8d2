// The same function in two recordings, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

// A source line, or an instruction, that both sides have, or one of them. Indexes are into
// AnnotatedFunction::lines, or into the instructions of the compared copies.
struct ComparedLine {
  std::optional<std::uint32_t> before;
  std::optional<std::uint32_t> after;
  std::uint32_t before_line = 0;  // in the source; 0: the side has no such line
  std::uint32_t after_line = 0;
  std::string file;  // path as recorded by the side that has it, after first
  std::string text;  // source text, where it is known
};

struct ComparedCopy {
  std::uint32_t before = 0;  // into AnnotatedFunction::copies
  std::uint32_t after = 0;
};

struct AnnotateComparison {
  AnnotatedFunction before;
  AnnotatedFunction after;
  std::vector<ComparedLine>
      lines;  // in the order of the source after, removed lines in their place
  // Copies whose code is the same byte for byte, but for the operands of calls, jumps and
  // references that moved with their targets: instruction i of the one is instruction i of the
  // other.
  std::vector<ComparedCopy> identical;
  std::vector<std::string> notes;  // "the code differs: compared by source line only", ...
};

// Lines are aligned by text (the longest common run of equal lines, as diff does) where both sides
// have source text, by number else. Events are matched by name: the columns are those both have;
// kUsage when there is none.
Result<AnnotateComparison> CompareAnnotations(AnnotatedFunction before, AnnotatedFunction after);

}  // namespace prof::analysis
