// The lines of a function with what was spent in them and below them: --source-only.
#pragma once

#include <string>

#include "report/annotate_places.h"
#include "report/annotate_shares.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

// Headings, lines, and the total. `shares` are of self and of children alike.
std::string RenderSourceLines(const analysis::AnnotatedFunction& function,
                              const SourcePlaces& places, const ShareColumns& shares,
                              const AnnotateTextOptions& options);

}  // namespace prof::report
