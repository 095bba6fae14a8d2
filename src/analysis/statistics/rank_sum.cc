#include "analysis/statistics/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "analysis/statistics/distributions.h"

#include "prof/analysis/statistics/mann_whitney.h"

namespace prof::analysis::statistics {

bool HasExactU(std::size_t n_a, std::size_t n_b) {
  return static_cast<double>(n_a) * static_cast<double>(n_b) <= kExactPairs;
}

std::vector<double> ProbabilitiesOfU(std::size_t n_a, std::size_t n_b, std::size_t limit) {
  const std::size_t small = std::min(n_a, n_b);
  const std::size_t large = std::max(n_a, n_b);
  // The generating function is the product of (1 - x^(large+i)) / (1 - x^i), i = 1..small.
  std::vector<double> chance(limit + 1, 0.0);
  chance[0] = 1 / Combinations(small + large, small);
  for (std::size_t i = 1; i <= small; ++i) {
    for (std::size_t u = limit; u >= large + i; --u) chance[u] -= chance[u - large - i];
    for (std::size_t u = i; u <= limit; ++u) chance[u] += chance[u - i];
  }
  return chance;
}

Midranks RankTogether(std::span<const double> a, std::span<const double> b) {
  Midranks ranks;
  ranks.doubled.reserve(a.size() + b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const double value = j == b.size() || (i < a.size() && a[i] < b[j]) ? a[i] : b[j];
    const std::size_t before = i + j;
    while (i < a.size() && a[i] == value) ++i;
    const std::size_t first_b = j;
    while (j < b.size() && b[j] == value) ++j;
    const std::size_t tied = i + j - before;
    const auto doubled = static_cast<std::uint32_t>(2 * before + tied + 1);
    ranks.doubled.insert(ranks.doubled.end(), tied, doubled);
    ranks.doubled_sum_b += std::uint64_t{doubled} * (j - first_b);
    const auto ties = static_cast<double>(tied);
    ranks.tie_term += ties * ties * ties - ties;
  }
  return ranks;
}

double CostOfTied(std::span<const std::uint32_t> doubled, std::size_t chosen) {
  const auto all = static_cast<double>(doubled.size());
  const auto drawn = static_cast<double>(std::min(chosen, doubled.size() - chosen));
  return all * drawn * drawn * (2 * all - drawn);  // the largest sum is drawn (2 all - drawn)
}

double TwoSidedTied(std::span<const std::uint32_t> doubled, std::size_t chosen,
                    std::uint64_t doubled_sum) {
  const std::size_t all = doubled.size();
  // The distance from the mean is the same for the ranks drawn and those left.
  const std::uint64_t total = std::uint64_t{all} * (all + 1);
  const bool swap = chosen > all - chosen;
  const std::size_t drawn = swap ? all - chosen : chosen;
  const std::uint64_t sum = swap ? total - doubled_sum : doubled_sum;
  const auto largest = std::accumulate(doubled.end() - static_cast<std::ptrdiff_t>(drawn),
                                       doubled.end(), std::size_t{0});
  // ways[k][s]: subsets of k of the ranks seen so far that add up to s; the sums that k of them can
  // reach are below `reach`.
  std::vector<std::vector<double>> ways(drawn + 1, std::vector<double>(largest + 1, 0.0));
  ways[0][0] = 1;
  std::vector<std::size_t> reach(drawn + 1, 0);
  for (std::size_t seen = 0; seen < all; ++seen) {
    const std::size_t rank = doubled[seen];
    for (std::size_t k = std::min(seen + 1, drawn); k > 0; --k) {
      const std::size_t end = std::min(reach[k - 1] + rank, largest);
      for (std::size_t s = rank; s <= end; ++s) ways[k][s] += ways[k - 1][s - rank];
      reach[k] = end;
    }
  }
  const auto mean = static_cast<std::int64_t>(drawn * (all + 1));
  const std::int64_t distance = std::abs(static_cast<std::int64_t>(sum) - mean);
  double extreme = 0;
  for (std::size_t s = 0; s <= largest; ++s) {
    if (std::abs(static_cast<std::int64_t>(s) - mean) >= distance) extreme += ways[drawn][s];
  }
  return std::min(1.0, extreme / Combinations(all, drawn));
}

CriticalU FindCriticalU(std::size_t n_a, std::size_t n_b, double tail) {
  if (HasExactU(n_a, n_b)) {
    CriticalU critical;
    for (const double chance : ProbabilitiesOfU(n_a, n_b, n_a * n_b / 2)) {
      if (critical.outside + chance > tail) break;
      critical.outside += chance;
      ++critical.value;
    }
    return critical;
  }
  const double pairs = static_cast<double>(n_a) * static_cast<double>(n_b);
  const double deviation = std::sqrt(pairs * static_cast<double>(n_a + n_b + 1) / 12);
  // P(U < c) is that of a normal value below c - 1/2.
  const double value = std::floor(pairs / 2 + NormalQuantile(tail) * deviation + 0.5);
  if (value < 1) return {};
  return {.value = static_cast<std::size_t>(value),
          .outside = NormalTwoSided((pairs / 2 - value + 0.5) / deviation) / 2};
}

}  // namespace prof::analysis::statistics
