// Sums of amounts, and what "hotter" means.
#pragma once

#include <cstddef>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

inline Amount& operator+=(Amount& sum, const Amount& more) {
  sum.weight += more.weight;
  sum.samples += more.samples;
  return sum;
}

// Both have the same events.
inline void AddTo(Amounts& sum, const Amounts& more) {
  for (std::size_t i = 0; i < sum.size() && i < more.size(); ++i) sum[i] += more[i];
}

[[nodiscard]] inline bool IsZero(const Amounts& amounts) {
  for (const Amount& amount : amounts) {
    if (amount != Amount{}) return false;
  }
  return true;
}

// By weight of the first event; where those are equal by its samples, then by the next event.
[[nodiscard]] inline int CompareAmounts(const Amounts& a, const Amounts& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].weight != b[i].weight) return a[i].weight < b[i].weight ? -1 : 1;
    if (a[i].samples != b[i].samples) return a[i].samples < b[i].samples ? -1 : 1;
  }
  return 0;
}

}  // namespace prof::analysis
