#include "prof/analysis/statistics/shift.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "analysis/statistics/rank_sum.h"

namespace prof::analysis::statistics {
namespace {

// Whole numbers in the order of the doubles they stand for, and back.
std::int64_t OrderedBits(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0.0 becomes 0.0
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double FromOrderedBits(std::int64_t ordered) {
  return std::bit_cast<double>(ordered >= 0 ? ordered
                                            : std::numeric_limits<std::int64_t>::min() - ordered);
}

// The differences b - a of two ascending ranges, never written out.
class Differences {
 public:
  Differences(std::span<const double> a, std::span<const double> b) : a_(a), b_(b) {}

  [[nodiscard]] std::size_t size() const { return a_.size() * b_.size(); }

  // The k-th smallest, from 1: the smallest double with at least k differences up to it.
  [[nodiscard]] double Smallest(std::size_t k) const {
    std::int64_t low = OrderedBits(b_.front() - a_.back());
    std::int64_t high = OrderedBits(b_.back() - a_.front());
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      if (CountUpTo(FromOrderedBits(middle)) >= k) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return FromOrderedBits(low);
  }

  [[nodiscard]] double Median() const {
    const double below = Smallest((size() + 1) / 2);
    return size() % 2 == 1 ? below : (below + Smallest(size() / 2 + 1)) / 2;
  }

 private:
  [[nodiscard]] std::size_t CountUpTo(double limit) const {
    std::size_t count = 0;
    std::size_t first = 0;  // the first of `a` near enough below the value of `b`
    for (const double value : b_) {
      while (first < a_.size() && value - a_[first] > limit) ++first;
      count += a_.size() - first;
    }
    return count;
  }

  std::span<const double> a_;
  std::span<const double> b_;
};

Shift ShiftOfSorted(std::span<const double> a, std::span<const double> b, double confidence) {
  const Differences differences(a, b);
  const CriticalU critical = FindCriticalU(a.size(), b.size(), (1 - confidence) / 2);
  Shift shift{.estimate = differences.Median()};
  if (critical.value == 0) return shift;
  shift.interval = Interval{differences.Smallest(critical.value),
                            differences.Smallest(differences.size() + 1 - critical.value)};
  shift.coverage = 1 - 2 * critical.outside;
  return shift;
}

std::vector<double> Logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

}  // namespace

Shift ShiftOf(const Sample& a, const Sample& b, double confidence) {
  return ShiftOfSorted(a.sorted(), b.sorted(), confidence);
}

std::optional<Shift> RatioOf(const Sample& a, const Sample& b, double confidence) {
  if (a.min() <= 0 || b.min() <= 0) return std::nullopt;
  Shift shift = ShiftOfSorted(Logarithms(a.sorted()), Logarithms(b.sorted()), confidence);
  shift.estimate = std::exp(shift.estimate);
  if (shift.interval) {
    shift.interval = Interval{std::exp(shift.interval->low), std::exp(shift.interval->high)};
  }
  return shift;
}

}  // namespace prof::analysis::statistics
