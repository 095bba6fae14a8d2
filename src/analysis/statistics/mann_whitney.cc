#include "prof/analysis/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/rank_sum.h"

namespace prof::analysis::statistics {
namespace {

double ExactTwoSided(std::size_t n_a, std::size_t n_b, double u) {
  const auto pairs = static_cast<double>(n_a * n_b);
  const auto smaller = static_cast<std::size_t>(std::min(u, pairs - u));
  const std::vector<double> chance = ProbabilitiesOfU(n_a, n_b, smaller);
  return std::min(1.0, 2 * std::accumulate(chance.begin(), chance.end(), 0.0));
}

double NormalApproximation(double n_a, double n_b, double u, double tie_term) {
  const double all = n_a + n_b;
  const double variance = n_a * n_b / 12 * ((all + 1) - tie_term / (all * (all - 1)));
  const double distance = std::max(0.0, std::abs(u - n_a * n_b / 2) - 0.5);
  return variance > 0 ? NormalTwoSided(distance / std::sqrt(variance)) : 1;
}

}  // namespace

MannWhitney TestMannWhitney(const Sample& a, const Sample& b) {
  const Midranks ranks = RankTogether(a.sorted(), b.sorted());
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  MannWhitney result;
  result.u = static_cast<double>(ranks.doubled_sum_b) / 2 - n_b * (n_b + 1) / 2;
  result.cliffs_delta = 2 * result.u / (n_a * n_b) - 1;
  if (ranks.tie_term == 0 && HasExactU(a.size(), b.size())) {
    result.p = ExactTwoSided(a.size(), b.size(), result.u);
    result.method = PMethod::kExact;
  } else if (ranks.tie_term > 0 && CostOfTied(ranks.doubled, b.size()) <= kTiedAdditions) {
    result.p = TwoSidedTied(ranks.doubled, b.size(), ranks.doubled_sum_b);
    result.method = PMethod::kExactTies;
  } else {
    result.p = NormalApproximation(n_a, n_b, result.u, ranks.tie_term);
    result.method = PMethod::kNormal;
  }
  return result;
}

}  // namespace prof::analysis::statistics
