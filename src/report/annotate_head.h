// What stands above the rows of an annotated function.
#pragma once

#include <string>
#include <vector>

#include "report/annotate_places.h"
#include "report/annotate_shares.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

// Function, events and their skid, what percentages are of, `origins` (OriginSentence), sources and
// notes: comment lines.
std::string RenderAnnotationHead(const analysis::AnnotatedFunction& function, const FileFacts& file,
                                 const SourcePlaces& places,
                                 const std::vector<std::string>& origins,
                                 const AnnotateTextOptions& options);

// "multiply<...> in matmul" as a comment.
std::string FunctionTitle(const analysis::AnnotatedFunction& function, int width);

// What 100 % is.
std::string BaseSentence(const AnnotateTextOptions& options);

// "12,345 of 20,113 samples of cpu-clock, 61.2 % of all; 66.0 % with callees".
std::string EventSentence(const analysis::AnnotatedFunction& function, std::size_t event,
                          PercentUnit unit);

// The hottest lines, each with the address of its hottest instruction, written as in the rows.
std::string RenderHotLines(const analysis::AnnotatedFunction& function, const SourcePlaces& places,
                           const ShareColumns& shares, const AnnotateTextOptions& options);

// Copies of a function that has several, with their total.
std::string RenderCopies(const analysis::AnnotatedFunction& function, const ShareColumns& shares,
                         const AnnotateTextOptions& options);

// How far addresses can be trusted: each sentence once, with its event where they differ.
std::vector<std::string> SkidSentences(const std::vector<analysis::AnnotatedEvent>& events);

bool HasInstructions(const analysis::AnnotatedFunction& function);

// "code: ..." or "no code: ..."; empty when nothing is known.
std::string OriginSentence(const analysis::CodeCopy& copy);
// All copies have the same: it is said once then.
bool HasOneOrigin(const analysis::AnnotatedFunction& function);

// "matmul.cold", "inlined into main".
std::string CopyName(const analysis::CodeCopy& copy);

}  // namespace prof::report
