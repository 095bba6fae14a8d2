// `prof annotate --json`: for programs; docs/annotate.md has the schema.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/annotate.h"
#include "prof/analysis/annotate_compare.h"
#include "prof/report/report_data.h"

namespace prof::report {

// One object and a newline: the file's facts, the choice, and each annotated function.
std::string RenderAnnotationJson(const analysis::FunctionChoice& choice,
                                 const std::vector<analysis::AnnotatedFunction>& functions,
                                 const FileFacts& file);
std::string RenderComparisonJson(const analysis::AnnotateComparison& comparison,
                                 const FileFacts& before, const FileFacts& after);

}  // namespace prof::report
