// Source lines of two annotations side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "prof/analysis/annotate_compare.h"

namespace prof::analysis {

struct AlignedSources {
  std::vector<ComparedLine> lines;
  bool by_number = false;  // some file has no text on one side
};

[[nodiscard]] AlignedSources AlignSources(const AnnotatedFunction& before,
                                          const AnnotatedFunction& after);

}  // namespace prof::analysis
