#include "analysis/statistics/count_dispersion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/statistics/count_correlation.h"
#include "analysis/statistics/distributions.h"

namespace prof::analysis::statistics {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Squares beyond this quantile of what they should be count as if they were at it.
constexpr double kBound = 0.95;
// Items of fewer samples have too few values that their variance can take.
constexpr double kTellingSamples = 30;
// By how much the log likelihood of prior degrees may fall below the largest: the lower end of a
// one-sided 95 % interval.
constexpr double kLikelihoodDrop = 1.353;
constexpr std::array<double, 13> kPriorDegrees = {0.5, 1,  2,  3,  4,   6,        8,
                                                  12,  16, 24, 48, 100, kInfinite};
// An item whose own variance is so unlikely under the prior is an outlier: the prior fades.
constexpr double kUnlikely = 0.1;
// More weigh no more than these, so that a prior without end can fade, too.
constexpr double kMostPriorDegrees = 1000;
// What the machine does to an item is a guess: its own units weigh more as soon as there are some.
constexpr double kDisturbedPriorDegrees = 4;

// Of the log density of Fisher's distribution at `ratio` what depends on `prior`.
double LogLikelihood(double ratio, double degrees, double prior) {
  if (std::isinf(prior)) return -degrees * ratio / 2;
  return -(degrees + prior) / 2 * std::log1p(degrees * ratio / prior);
}

// What does not depend on the ratio.
double LogNorm(double degrees, double prior) {
  if (std::isinf(prior)) return degrees / 2 * std::log(degrees / 2);
  return std::lgamma((degrees + prior) / 2) - std::lgamma(prior / 2) +
         degrees / 2 * std::log(degrees / prior);
}

double Expected(double mean, double variation) {
  return mean + variation * variation * mean * mean;
}

// The variance that the machine adds to a unit. Blocks of one run have it in common.
double Disturbance(const CountRow& row, const CountDesign& design) {
  return design.units == CountUnits::kRuns ? row.disturbance * row.disturbance : 0;
}

// Of a unit, the two sides' means being as they are; at least what it is if they are the same.
double ExpectedVariance(const CountRow& row, const CountDesign& design, double variation) {
  const double degrees_before = static_cast<double>(design.before - 1);
  const double degrees_after = static_cast<double>(design.after - 1);
  const double apart = (degrees_before * Expected(row.before, variation) +
                        degrees_after * Expected(row.after, variation)) /
                       (degrees_before + degrees_after);
  return std::max(Expected(row.mean, variation), apart) + Disturbance(row, design);
}

// Of the expected variance what `variation` makes of it.
double VariationShare(const CountRow& row, const CountDesign& design, double variation) {
  const double all = ExpectedVariance(row, design, variation);
  return all > 0 ? 1 - ExpectedVariance(row, design, 0) / all : 0;
}

// The smallest that the items do not contradict.
double FitPriorDegrees(std::span<const double> ratios, double degrees) {
  std::array<double, kPriorDegrees.size()> likelihood{};
  for (std::size_t k = 0; k < kPriorDegrees.size(); ++k) {
    const double norm = LogNorm(degrees, kPriorDegrees[k]);
    for (const double ratio : ratios) {
      likelihood[k] += norm + LogLikelihood(ratio, degrees, kPriorDegrees[k]);
    }
  }
  const double largest = *std::max_element(likelihood.begin(), likelihood.end());
  for (std::size_t k = 0; k < kPriorDegrees.size(); ++k) {
    if (likelihood[k] >= largest - kLikelihoodDrop) return kPriorDegrees[k];
  }
  return kPriorDegrees.front();
}

}  // namespace

double FitVariation(std::span<const VariedSquare> squares, double degrees) {
  const double bound = ChiSquaredQuantile(kBound, degrees);
  // Of a bounded chi^2 / degrees.
  const double mean = ChiSquaredCdf(bound, degrees + 2) + (1 - kBound) * bound / degrees;
  const auto score = [&](double squared) {
    double sum = 0;
    for (const VariedSquare& item : squares) {
      const double expected = item.base + squared * item.scale;
      if (!(expected > 0)) continue;
      const double ratio = std::min(item.square / expected, bound / degrees);
      sum += item.scale / expected * (ratio - mean);
    }
    return sum;
  };
  if (score(0) <= 0) return 0;
  double high = 0;
  for (const VariedSquare& item : squares) {
    if (item.scale > 0) high = std::max(high, item.square / item.scale / mean);
  }
  double low = 0;
  for (int i = 0; i < 60 && high - low > 1e-6 * high; ++i) {
    const double middle = (low + high) / 2;
    (score(middle) > 0 ? low : high) = middle;
  }
  return std::sqrt((low + high) / 2);
}

Dispersion FitDispersion(std::span<const ItemAmounts> items, std::span<const CountRow> rows,
                         const CountDesign& design) {
  const double degrees = design.Degrees();
  std::vector<VariedSquare> squares;
  squares.reserve(rows.size());
  for (const CountRow& row : rows) {
    const double base = ExpectedVariance(row, design, 0);
    squares.push_back({row.variance, base, ExpectedVariance(row, design, 1) - base});
  }
  Dispersion found{.variation = FitVariation(squares, degrees)};
  std::vector<double> ratios;
  std::vector<double> shares;
  for (const CountRow& row : rows) {
    shares.push_back(VariationShare(row, design, found.variation));
    if (row.total < kTellingSamples || Disturbance(row, design) > 0) continue;
    ratios.push_back(row.variance / ExpectedVariance(row, design, found.variation));
  }
  found.variation_degrees = degrees * IndependentItems(items, shares, design);
  found.prior_degrees = FitPriorDegrees(ratios, degrees);
  return found;
}

Spread SpreadOfDifference(const CountRow& row, const CountDesign& design,
                          const Dispersion& dispersion) {
  const double degrees = design.Degrees();
  if (!(row.total > 0)) return {0, degrees};
  const double variation = dispersion.variation;
  const double ratio = row.variance / ExpectedVariance(row, design, variation);
  const double disturbance = Disturbance(row, design);
  double prior = disturbance > 0 ? std::min(dispersion.prior_degrees, kDisturbedPriorDegrees)
                                 : dispersion.prior_degrees;
  if (ratio > 1) {
    const double likely = FisherUpper(ratio, degrees, prior) / kUnlikely;
    if (likely < 1) prior = likely > 0 ? std::min(prior, kMostPriorDegrees) * likely : 0;
  }
  const double phi = std::isinf(prior) ? 1 : (degrees * ratio + prior) / (degrees + prior);
  const auto n_before = static_cast<double>(design.before);
  const auto n_after = static_cast<double>(design.after);
  const double unchanged = Expected(row.mean, variation) * (1 / n_before + 1 / n_after);
  const double changed =
      Expected(row.before, variation) / n_before + Expected(row.after, variation) / n_after;
  const double both = disturbance * (1 / n_before + 1 / n_after);
  // Chance is known, only `variation` is not: Satterthwaite, Biometrics Bulletin 2 (1946).
  const double share = VariationShare(row, design, variation);
  const double known = dispersion.variation_degrees / (share * share);
  return {phi * (std::max(unchanged, changed) + both),
          std::min(degrees + prior, std::max(degrees, known))};
}

}  // namespace prof::analysis::statistics
