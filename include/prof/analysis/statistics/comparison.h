// A against B: every number the report states, and what they come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "prof/analysis/statistics/drift.h"
#include "prof/analysis/statistics/mann_whitney.h"
#include "prof/analysis/statistics/means.h"
#include "prof/analysis/statistics/outliers.h"
#include "prof/analysis/statistics/sample.h"
#include "prof/analysis/statistics/shift.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::statistics {

struct ComparisonOptions {
  double alpha = 0.05;          // chance of a false alarm allowed
  std::size_t comparisons = 1;  // made together, under Holm's correction
  double noisy_change = 0.10;   // data that could not have shown this change is too noisy
};

// Reasons for wide intervals on one side.
struct SideNoise {
  bool spread = false;  // coefficient of variation above 10 %
  bool drift = false;   // found by FindDrift
  std::vector<Outlier> outliers;
};

struct Comparison {
  Summary a;
  Summary b;
  double median_difference = 0;        // median(b) - median(a)
  std::optional<double> median_ratio;  // median(b) / median(a); none for a median(a) of 0
  Shift shift;                         // b - a, in the unit of the values
  std::optional<Shift> ratio;          // b / a; none unless all values are above 0
  MannWhitney mann_whitney;
  Permutation permutation;
  std::optional<Welch> welch;
  std::optional<EffectSize> effect;
  SideNoise noise_a;
  SideNoise noise_b;
  double smallest_p = 1;        // that so many runs can reach (SmallestReachableP)
  std::size_t runs_needed = 0;  // of each side for alpha (RunsForComparison)
  // The smallest change this data would have shown with 80 % power (SmallestDetectable): of the
  // ratio (0.018: 1.8 %), without one of the shift as a share of |median(a)|. None without an
  // interval, or with a median(a) of 0.
  std::optional<double> smallest_change;
};

enum class Verdict : std::uint8_t {
  kLower,              // b's values lie below a's: faster, if they are times
  kHigher,             // b's values lie above a's
  kNoDifferenceShown,  // smallest_change says what would have been
  kTooNoisy,           // nor would a change by `noisy_change` have been shown; see SideNoise
  kTooFewRuns,         // no data of so many runs can reach alpha; see runs_needed
};

// All intervals 95 %.
[[nodiscard]] Comparison Compare(const Sample& a, const Sample& b,
                                 const ComparisonOptions& options = {});

// `p` is comparison.mann_whitney.p, or what AdjustHolm made of it. kLower and kHigher take both a p
// of at most alpha and an interval (of the ratio, else of the shift) without "no difference" in it;
// with ties the two may disagree.
[[nodiscard]] Verdict Judge(const Comparison& comparison, double p,
                            const ComparisonOptions& options = {});

}  // namespace prof::analysis::statistics
