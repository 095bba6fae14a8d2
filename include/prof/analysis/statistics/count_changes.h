// Which of many counted items changed between two sides, when counts vary by more than chance.
//
// Of each item (a function, a node of a call tree) there is one amount per unit on each side; units
// are whole runs, or blocks of time of one run each. An amount is a number of samples times what a
// sample stands for (`quantum`). Samples alone vary as Poisson's distribution has it; runs vary
// more (machine, caches, layout), and by a share of the amount. So for an item of mean amount m
// (of both sides, if nothing changed) the variance of a unit is taken as
//   phi m quantum,  phi expected at  1 + variation^2 m / quantum,
// phi of each item being shrunken towards what is expected at its size: `variation` and the weight
// of the expectation (`prior_degrees`) are estimated from all items together. Quasi-likelihood for
// counts: McCarthy, Chen and Smyth, Nucleic Acids Research 40 (2012); Lund et al., Stat. Appl.
// Genet. Mol. Biol. 11 (2012). Shrinkage: Smyth, "Linear models and empirical Bayes methods",
// Stat. Appl. Genet. Mol. Biol. 3 (2004); Phipson et al., Annals of Applied Statistics 10 (2016).
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
  // that phases that both runs have do not count as noise. What differs from run to run but not
  // within one cannot be seen in it; it is guessed from how far all items lie apart (a robust
  // spread of their changes, which a few changed items do not move).
  kBlocks,
};

struct ItemAmounts {
  std::span<const double> before;  // of each unit; none negative, all finite
  std::span<const double> after;
  double quantum = 1;  // of one sample, above 0
};

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
  double degrees = 0;  // of freedom, the prior's included; may be infinite
  Interval interval;   // of delta, at `confidence`
  double p = 1;
  double adjusted_p = 1;  // Benjamini and Hochberg's over all items
  bool significant = false;
  // The smallest change of this item that would have been called significant with 80 % power, at
  // the p that significance took here.
  double detectable = 0;
};

struct CountChanges {
  std::vector<CountChange> items;  // in the order given
  CountTest test = CountTest::kModerated;
  double variation = 0;      // from unit to unit beyond chance, as a share: of an item, typically
  double prior_degrees = 0;  // how much the expectation weighs; infinite: items do not differ
  // kBlocks: by what the spread between the runs widened all intervals; at least 1.
  double widened = 1;
};

// kPermutation where the smallest p of so many runs (SmallestReachableP) can pass Benjamini and
// Hochberg's first threshold, alpha / items, and all ways can be counted (kExactPermutations of
// means.h); else kModerated. Swapping before and after turns the signs of delta and interval round
// and changes nothing else. kBadData: sides of another shape than `units` wants, an amount that is
// negative or not finite, a quantum not above 0. No items: an empty result.
[[nodiscard]] Result<CountChanges> TestCountChanges(std::span<const ItemAmounts> items,
                                                    const CountChangeOptions& options = {});

}  // namespace prof::analysis::statistics
