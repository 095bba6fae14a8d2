// The few distributions the statistics need, from Boost.Math; errors give NaN, nothing is thrown.
#pragma once

#include <cstddef>

namespace prof::analysis::statistics {

// P(|Z| >= |z|) of the standard normal distribution.
[[nodiscard]] double NormalTwoSided(double z);
// The quantile of the standard normal distribution, 0 < probability < 1.
[[nodiscard]] double NormalQuantile(double probability);
// P(|T| >= |t|) of Student's t with `degrees` > 0 (need not be whole) of freedom.
[[nodiscard]] double StudentTwoSided(double t, double degrees);
[[nodiscard]] double StudentQuantile(double probability, double degrees);
// P(X <= x) and the quantile of the chi-squared distribution with `degrees` > 0 of freedom, x >= 0.
[[nodiscard]] double ChiSquaredCdf(double x, double degrees);
[[nodiscard]] double ChiSquaredQuantile(double probability, double degrees);
// P(F >= f) of Fisher's distribution, f >= 0; `below` may be infinite.
[[nodiscard]] double FisherUpper(double f, double above, double below);
// P(X >= successes) of the binomial distribution, 0 < probability < 1.
[[nodiscard]] double BinomialUpper(std::size_t trials, std::size_t successes, double probability);
// P(X <= successes) of the binomial distribution with probability 1/2.
[[nodiscard]] double FairBinomialCdf(std::size_t trials, std::size_t successes);
// Hedges' correction J = Gamma(d/2) / (sqrt(d/2) Gamma((d-1)/2)), degrees d > 1.
[[nodiscard]] double HedgesCorrection(double degrees);
// "n over k", infinite where a double cannot hold it.
[[nodiscard]] double Combinations(std::size_t n, std::size_t k);

}  // namespace prof::analysis::statistics
