// `prof annotate` as text: the head, the hot lines, source with instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/annotate.h"
#include "prof/analysis/annotate_compare.h"
#include "prof/report/report_data.h"

namespace prof::report {

enum class AnnotateView : std::uint8_t {
  kMixed,       // source lines with their instructions; assembly alone where there is no source
  kSourceOnly,  // lines with self and children
  kAsmOnly,
};

// --percent-type: of what, counted how.
enum class PercentBase : std::uint8_t { kLocal, kGlobal };  // of the function, of all samples
enum class PercentUnit : std::uint8_t { kPeriod, kHits };

struct AnnotateTextOptions {
  AnnotateView view = AnnotateView::kMixed;
  int width = 0;  // columns of the terminal; 0: a pipe, never cut
  bool color = false;
  bool quiet = false;  // the rows only
  PercentBase base = PercentBase::kLocal;
  PercentUnit unit = PercentUnit::kPeriod;
  bool show_samples = false;       // -n: counts instead of percent
  bool show_total_period = false;  // periods instead of percent
  double percent_limit = 0;        // lines and instructions below are shown without their number
  bool raw_bytes = false;          // --asm-raw
  bool line_numbers = false;       // -l: file:line beside each instruction
  bool full_paths = false;         // -P
  std::uint32_t context = 3;       // source lines shown around lines with samples (--source-only)
  std::uint32_t hot_lines = 10;    // of the head table; 0: none
  // Of a "file:line" query: its rows are marked in the margin. The file is the one whose path ends
  // so; empty: that of the function itself.
  std::optional<std::uint32_t> marked_line;
  std::string marked_file;
};

// One function with all its copies. Pure: text out.
std::string RenderAnnotation(const analysis::AnnotatedFunction& function, const FileFacts& file,
                             const AnnotateTextOptions& options);

// Which functions a query matched, with their shares; for more than one match.
std::string RenderChoice(const analysis::FunctionChoice& choice,
                         const AnnotateTextOptions& options);

// Both sides in columns, with the difference in percentage points.
std::string RenderComparison(const analysis::AnnotateComparison& comparison,
                             const FileFacts& before, const FileFacts& after,
                             const AnnotateTextOptions& options);

}  // namespace prof::report
