#include "analysis/statistics/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace prof::analysis::statistics {
namespace {

namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::rounding_error<policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using Student = boost::math::students_t_distribution<double, Quiet>;
using ChiSquared = boost::math::chi_squared_distribution<double, Quiet>;
using Fisher = boost::math::fisher_f_distribution<double, Quiet>;
using Binomial = boost::math::binomial_distribution<double, Quiet>;

}  // namespace

double NormalTwoSided(double z) {
  return 2 * boost::math::cdf(boost::math::complement(Normal(), std::abs(z)));
}

double NormalQuantile(double probability) { return boost::math::quantile(Normal(), probability); }

double StudentTwoSided(double t, double degrees) {
  return 2 * boost::math::cdf(boost::math::complement(Student(degrees), std::abs(t)));
}

double StudentQuantile(double probability, double degrees) {
  return boost::math::quantile(Student(degrees), probability);
}

double ChiSquaredCdf(double x, double degrees) { return boost::math::cdf(ChiSquared(degrees), x); }

double ChiSquaredQuantile(double probability, double degrees) {
  return boost::math::quantile(ChiSquared(degrees), probability);
}

double FisherUpper(double f, double above, double below) {
  if (std::isinf(below)) {
    return boost::math::cdf(boost::math::complement(ChiSquared(above), f * above));
  }
  return boost::math::cdf(boost::math::complement(Fisher(above, below), f));
}

double BinomialUpper(std::size_t trials, std::size_t successes, double probability) {
  if (successes == 0) return 1;
  if (successes > trials) return 0;
  const Binomial binomial(static_cast<double>(trials), probability);
  return boost::math::cdf(boost::math::complement(binomial, static_cast<double>(successes) - 1));
}

double FairBinomialCdf(std::size_t trials, std::size_t successes) {
  if (successes >= trials) return 1;
  return boost::math::cdf(Binomial(static_cast<double>(trials), 0.5),
                          static_cast<double>(successes));
}

double HedgesCorrection(double degrees) {
  // The ratio Gamma(x) / Gamma(x + 1/2) stays finite where either function overflows.
  const double half = degrees / 2;
  return 1 / (std::sqrt(half) * boost::math::tgamma_delta_ratio(half - 0.5, 0.5, Quiet()));
}

double Combinations(std::size_t n, std::size_t k) {
  if (k > n) return 0;
  double product = 1;
  for (std::size_t i = 1; i <= std::min(k, n - k); ++i) {
    product = product * static_cast<double>(n - i + 1) / static_cast<double>(i);
    if (std::isinf(product)) break;
  }
  return product;
}

}  // namespace prof::analysis::statistics
