// How much counts vary beyond chance: estimated from all items together, then of each of them.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "analysis/statistics/count_table.h"

namespace prof::analysis::statistics {

struct Dispersion {
  // The variance of a unit of mean m is taken as m + variation^2 m^2.
  double variation = 0;
  // How well `variation` is known, as degrees of freedom. If all items vary together (a slow
  // machine), no better than the units alone tell; if each varies by itself, by as many times
  // better as there are items.
  double variation_degrees = 0;
  // What that expectation weighs beside an item's own variance, as degrees of freedom: few where
  // items differ in how they vary, or are too few to tell. Infinite: they do not differ.
  double prior_degrees = std::numeric_limits<double>::infinity();
};

// `rows` are those of `items`.
[[nodiscard]] Dispersion FitDispersion(std::span<const ItemAmounts> items,
                                       std::span<const CountRow> rows, const CountDesign& design);

// A variance, and how well it is known.
struct Spread {
  double variance = 0;
  double degrees = 0;  // of freedom, at least the design's; may be infinite
};

// Of the difference of the two sides' means, as large as it is if nothing changed and as large as
// it is with the means at hand. An item that varies by far more than the others keeps its own
// variance, as the prior does not speak of it: Phipson et al. (2016), in a simpler form.
[[nodiscard]] Spread SpreadOfDifference(const CountRow& row, const CountDesign& design,
                                        const Dispersion& dispersion);

// A square that is expected to be base + variation^2 scale; all three not negative.
struct VariedSquare {
  double square = 0;
  double base = 0;
  double scale = 0;
};

// The variation with which the squares are as large as multiples of chi^2 / degrees with those
// expectations are: the root of the quasi-score of all of them, each square bounded, so that few
// outliers do not move it (Huber and Ronchetti, "Robust Statistics" (2009), chapter 6). 0 where
// the squares are no larger than their bases make them.
[[nodiscard]] double FitVariation(std::span<const VariedSquare> squares, double degrees);

}  // namespace prof::analysis::statistics
