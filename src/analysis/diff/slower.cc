// The gate of --fail-if-slower.
#include "prof/analysis/diff/profile_diff.h"

namespace prof::analysis::diff {

bool IsSlowerBy(const ProfileDiff& diff, double percent) {
  if (diff.events.empty()) return false;
  const TotalChange& total = diff.events.front().total;
  if (total.verdict != TotalVerdict::kHigher) return false;
  // Without anything before, every amount is more by any share.
  return !total.share || *total.share * 100 >= percent;
}

}  // namespace prof::analysis::diff
