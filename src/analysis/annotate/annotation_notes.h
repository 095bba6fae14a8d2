// What an annotation lacks and what would help.
#pragma once

#include <string>
#include <vector>

#include "analysis/annotate/code_lookup.h"
#include "analysis/annotate/copy_list.h"

namespace prof::analysis {

// `found[i]` is the code of `function.copies[i]`. One sentence each, without a full stop.
[[nodiscard]] std::vector<std::string> MakeNotes(const Profile& profile,
                                                 const ScopedSamples& samples,
                                                 const AnnotatedFunction& function,
                                                 const std::vector<FoundCode>& found,
                                                 const CodeLookup& lookup);

}  // namespace prof::analysis
