// Which of many counted items changed between two sides, when counts vary by more than chance.
//
// Of each item (a function, a node of a call tree) there is one amount per unit on each side; units
// are whole runs, or blocks of time of one run each. An amount is a number of samples times what a
// sample stands for (`quantum`). Samples alone vary as Poisson's distribution has it; runs vary
// more (machine, caches, layout), and by a share of the amount. So in samples, the variance of a
// unit of mean m is taken as
//   phi (m + variation^2 m^2),  phi about 1,
// phi of each item being what its own units show, shrunken towards 1: `variation` and the weight of
// that 1 (`prior_degrees`) are estimated from all items together. Recordings of seven programs 28
// times each on a busy machine have this form: items of few samples vary as chance alone has it,
// large ones by 3 to 20 % more, clocks sample functions that run all the time more evenly than
// chance. Quasi-likelihood for counts: McCarthy, Chen and Smyth, Nucleic Acids Research 40 (2012);
// Lund et al., Stat. Appl. Genet. Mol. Biol. 11 (2012). Shrinkage: Smyth, "Linear models and
// empirical Bayes methods", Stat. Appl. Genet. Mol. Biol. 3 (2004); Phipson et al., Annals of
// Applied Statistics 10 (2016).
//
// Two single runs say nothing of how runs vary. What their blocks show of each item's variance is
// widened for the run by variation^2 (before^2 + after^2) + 2 disturbance^2, where `variation` is
// the one for which the changes of all items are as large as such a variance makes them: a robust
// estimate, which a few changed items do not move much. It cannot tell a change of all items from a
// slower machine, and takes it for one. The fewer items there are, the more of a change it takes
// for noise: of one or two, none is ever significant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prof/analysis/statistics/sample.h"
#include "prof/base/result.h"

namespace prof::analysis::statistics {

enum class CountUnits : std::uint8_t {
  // Independent runs, any number on each side, three or more in all.
  kRuns,
  // As many blocks on either side, of one run each: block k of before beside block k of after, so
  // that phases that both runs have do not count as noise. Weaker than runs: what came in one burst
  // does not count as a change, nor what is within the guessed variation from run to run.
  kBlocks,
};

struct ItemAmounts {
  std::span<const double> before;  // of each unit; none negative, all finite
  std::span<const double> after;
  double quantum = 1;  // of one sample, above 0
  // The amount by which it is expected to vary from run to run whatever the program does, as a
  // standard deviation: kernel code runs as the rest of the machine has it (kKernelDisturbance).
  // Several runs show for themselves how much it is; the more of them, the less this counts.
  double disturbance = 0;
};

// For kernel code (not for user code that calls it), as a share of all amounts of a run. Measured:
// task switches are 0.02 to 1 % of the samples of one and the same program as the machine is idle
// or busy, though its own functions vary by 3 % of themselves; clearing pages is up to 3 %, in 2 of
// 28 recordings of a compiler 15 % (memory that the host was slow to give).
inline constexpr double kKernelDisturbance = 0.005;

struct CountChangeOptions {
  CountUnits units = CountUnits::kRuns;
  double alpha = 0.05;  // of Benjamini and Hochberg's false discovery rate over the items
  double confidence = 0.95;
};

enum class CountTest : std::uint8_t {
  kPermutation,  // exact: all ways to deal the runs out to two sides
  kModerated,    // Student's t with the shrunken variance
};

struct CountChange {
  double before = 0;  // kRuns: mean of the units; kBlocks: their sum
  double after = 0;
  double delta = 0;  // after - before
  double standard_error = 0;
  double degrees = 0;     // of freedom, the prior's included; may be infinite
  Interval interval;      // of delta, at `confidence`, of this item alone
  double p = 1;           // two-sided
  double adjusted_p = 1;  // Benjamini and Hochberg's over all items
  bool significant = false;
  // The smallest change of this item that would have been called significant with 80 % power, at
  // the p that significance took here: alpha k / items with k significant items, at least one.
  double detectable = 0;
};

struct CountChanges {
  std::vector<CountChange> items;  // in the order given
  CountTest test = CountTest::kModerated;
  double variation = 0;      // from run to run beyond chance, as a share: of an item, typically
  double prior_degrees = 0;  // how much the expectation weighs; infinite: items do not differ
  // kBlocks: by what the variation from run to run widened the interval of the median item; at
  // least 1.
  double widened = 1;
};

// kPermutation where the smallest p of so many runs (SmallestReachableP) can pass Benjamini and
// Hochberg's first threshold, alpha / items, and all ways can be counted (kExactPermutations of
// means.h); else kModerated. Of up to 100 samples p is never below what chance alone gives (twice
// the binomial tail), as their sums are not normal. An item without samples has not changed: p = 1.
// Swapping before and after turns the signs of delta and interval round, swaps `before` and `after`
// and changes no bit of anything else. kBadData: sides of another shape than `units` wants
// (kBlocks: as many, at least two), items of different shapes, an amount that is negative, not
// finite or of more than 1e20 samples, a quantum not above 0. No items: an empty result.
[[nodiscard]] Result<CountChanges> TestCountChanges(std::span<const ItemAmounts> items,
                                                    const CountChangeOptions& options = {});

}  // namespace prof::analysis::statistics
