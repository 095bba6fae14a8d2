#include "prof/analysis/statistics/means.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace prof::analysis::statistics {

std::optional<Welch> TestWelch(const Sample& a, const Sample& b, double confidence) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Moments of_a = MomentsOf(a.values());
  const Moments of_b = MomentsOf(b.values());
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double error_a = of_a.variance / n_a;
  const double error_b = of_b.variance / n_b;
  const double error = error_a + error_b;
  if (!(error > 0)) return std::nullopt;
  Welch welch{.difference = of_b.mean - of_a.mean};
  welch.t = welch.difference / std::sqrt(error);
  // Shares of the error, for its square may be too large or small for a double.
  const double share_a = error_a / error;
  const double share_b = error_b / error;
  welch.degrees = 1 / (share_a * share_a / (n_a - 1) + share_b * share_b / (n_b - 1));
  welch.p = StudentTwoSided(welch.t, welch.degrees);
  const double half = StudentQuantile((1 + confidence) / 2, welch.degrees) * std::sqrt(error);
  welch.interval = {welch.difference - half, welch.difference + half};
  return welch;
}

std::optional<EffectSize> EffectSizeOf(const Sample& a, const Sample& b) {
  if (a.size() + b.size() < 4) return std::nullopt;
  const Moments of_a = MomentsOf(a.values());
  const Moments of_b = MomentsOf(b.values());
  const auto degrees_a = static_cast<double>(a.size() - 1);
  const auto degrees_b = static_cast<double>(b.size() - 1);
  const double degrees = degrees_a + degrees_b;
  const double pooled = (degrees_a * of_a.variance + degrees_b * of_b.variance) / degrees;
  if (!(pooled > 0)) return std::nullopt;
  const double d = (of_b.mean - of_a.mean) / std::sqrt(pooled);
  return EffectSize{.cohens_d = d, .hedges_g = d * HedgesCorrection(degrees)};
}

namespace {

// Deals values out to two sides and counts how often the smaller side's sum is as far from what it
// is on average as the one seen. That is the difference of the means but for a factor.
class Dealer {
 public:
  Dealer(std::span<const double> dealt, std::span<const double> left)
      : values_(dealt.begin(), dealt.end()), dealt_(dealt.size()) {
    values_.insert(values_.end(), left.begin(), left.end());
    const double mean = MomentsOf(values_).mean;
    double seen = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] -= mean;  // sums are 0 on average
      if (i < dealt_) seen += values_[i];
      magnitude += std::abs(values_[i]);
    }
    // Rounding must not make an equal sum a smaller one.
    threshold_ = std::abs(seen) - 1e-12 * magnitude;
  }

  [[nodiscard]] double CountAll() const { return Count(0, dealt_, 0); }

  [[nodiscard]] double CountDrawn(int draws) {
    std::mt19937_64 random(20'260'101);
    double hits = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double sum = 0;
      for (std::size_t i = 0; i < dealt_; ++i) {
        std::swap(values_[i], values_[i + random() % (values_.size() - i)]);
        sum += values_[i];
      }
      if (std::abs(sum) >= threshold_) ++hits;
    }
    return hits;
  }

 private:
  // Over all choices of `left` values from `start` on, `sum` being dealt already.
  [[nodiscard]] double Count(std::size_t start, std::size_t left, double sum) const {
    if (left == 0) return std::abs(sum) >= threshold_ ? 1 : 0;
    double hits = 0;
    for (std::size_t i = start; i + left <= values_.size(); ++i) {
      hits += Count(i + 1, left - 1, sum + values_[i]);
    }
    return hits;
  }

  std::vector<double> values_;
  std::size_t dealt_;
  double threshold_ = 0;
};

}  // namespace

Permutation TestMeansByPermutation(const Sample& a, const Sample& b) {
  Permutation result{.difference = MomentsOf(b.values()).mean - MomentsOf(a.values()).mean};
  const bool a_smaller = a.size() < b.size();
  const Sample& dealt = a_smaller ? a : b;
  const Sample& left = a_smaller ? b : a;
  const double ways = Combinations(a.size() + b.size(), dealt.size());
  if (ways <= kExactPermutations) {
    result.p = Dealer(dealt.values(), left.values()).CountAll() / ways;
    result.method = PMethod::kExact;
  } else if (dealt.size() <= kLargestPermuted) {
    const double hits = Dealer(dealt.values(), left.values()).CountDrawn(kDrawnPermutations);
    result.p = (hits + 1) / (kDrawnPermutations + 1);
    result.method = PMethod::kRandomPermutations;
  } else {
    const std::optional<Welch> welch = TestWelch(a, b);
    result.p = welch ? welch->p : result.difference == 0 ? 1 : 0;
    result.method = PMethod::kNormal;
  }
  return result;
}

}  // namespace prof::analysis::statistics
