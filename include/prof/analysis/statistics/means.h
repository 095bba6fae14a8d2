// Two samples compared by their means.
#pragma once

#include <optional>

#include "prof/analysis/statistics/mann_whitney.h"
#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

// Welch's t test of mean(b) - mean(a), which does not take the spreads for equal. Welch, "The
// generalization of 'Student's' problem", Biometrika 34 (1947).
struct Welch {
  double difference = 0;  // mean(b) - mean(a)
  double t = 0;
  double degrees = 0;  // of freedom, by Welch and Satterthwaite
  double p = 1;        // two-sided
  Interval interval;   // of the difference, at the confidence asked for
};
// None with fewer than two values on a side, or no spread on either.
[[nodiscard]] std::optional<Welch> TestWelch(const Sample& a, const Sample& b,
                                             double confidence = 0.95);

// (mean(b) - mean(a)) / pooled standard deviation. `hedges_g` is Cohen's d without its bias in
// small samples: times Gamma(m/2) / (sqrt(m/2) Gamma((m-1)/2)), m = n_a + n_b - 2. Hedges,
// "Distribution theory for Glass's estimator of effect size", J. Educational Statistics 6 (1981).
struct EffectSize {
  double cohens_d = 0;
  double hedges_g = 0;
};
// None with fewer than four values in all, or no spread on either side.
[[nodiscard]] std::optional<EffectSize> EffectSizeOf(const Sample& a, const Sample& b);

// The permutation test of the difference of means: p is the share of the ways to deal the values
// out to the two sides whose means differ at least as much. All C(n_a + n_b, n_a) ways up to
// kExactPermutations (10 against 10); above, kDrawnPermutations drawn with a fixed seed (the same
// data gives the same p) and p = (hits + 1) / (drawn + 1): Phipson and Smyth, "Permutation
// p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9 (2010). With more than
// kLargestPermuted values on each side the normal limit is as good: Welch's p, method kNormal.
struct Permutation {
  double difference = 0;  // mean(b) - mean(a)
  double p = 1;           // two-sided
  PMethod method = PMethod::kExact;
};
inline constexpr double kExactPermutations = 200'000;
inline constexpr int kDrawnPermutations = 9'999;
inline constexpr std::size_t kLargestPermuted = 1'000;
[[nodiscard]] Permutation TestMeansByPermutation(const Sample& a, const Sample& b);

}  // namespace prof::analysis::statistics
