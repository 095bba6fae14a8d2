// What stands above the rows of an annotated function.
#pragma once

#include <string>

#include "report/annotate_places.h"
#include "report/annotate_shares.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

// Function, events and their skid, what percentages are of, sources and notes: comment lines.
std::string RenderAnnotationHead(const analysis::AnnotatedFunction& function, const FileFacts& file,
                                 const SourcePlaces& places, const AnnotateTextOptions& options);

// "12,345 of 20,113 samples of cpu-clock, 61.2 % of all; 66.0 % with callees".
std::string EventSentence(const analysis::AnnotatedFunction& function, std::size_t event,
                          PercentUnit unit);

// The hottest lines, each with the address of its hottest instruction, written as in the rows.
std::string RenderHotLines(const analysis::AnnotatedFunction& function, const SourcePlaces& places,
                           const ShareColumns& shares, const AnnotateTextOptions& options);

// Copies of a function that has several, with their total.
std::string RenderCopies(const analysis::AnnotatedFunction& function, const ShareColumns& shares,
                         const AnnotateTextOptions& options);

// The same origin of all copies, else nothing: it is said once then.
std::string CommonOrigin(const analysis::AnnotatedFunction& function);

// "matmul.cold", "main (inlined into it)".
std::string CopyName(const analysis::CodeCopy& copy);

}  // namespace prof::report
