// The compiled copies of the annotated function that have samples.
#pragma once

#include <vector>

#include "analysis/annotate/code_lookup.h"
#include "analysis/annotate/line_table.h"

namespace prof::analysis {

struct CopyPlan {
  CodeCopy copy;              // without instructions yet
  std::vector<SelfHit> hits;  // ascending by lookup address
};

// By self, descending.
[[nodiscard]] std::vector<CopyPlan> ListCopies(const Profile& profile, const ScopedSamples& samples,
                                               const AnnotatedFunctions& functions,
                                               const CodeLookup& lookup,
                                               const std::vector<SelfHit>& hits,
                                               FunctionNames& names);

// The address whose code a hit is in.
[[nodiscard]] model::FileAddr AddressOf(const Profile& profile, const SelfHit& hit);

}  // namespace prof::analysis
