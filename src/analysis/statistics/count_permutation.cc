#include "analysis/statistics/count_permutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace prof::analysis::statistics {
namespace {

// Items whose runs and sums stay in the fastest cache while the ways are walked through.
constexpr std::size_t kGroup = 64;
// Rounding must not make an equal sum a smaller one: shares of how far all runs lie from their
// mean, which the sums are rounded at, and of all amounts, which the runs are.
constexpr double kSumTolerance = 1e-9;
constexpr double kAmountTolerance = 1e-12;

// A choice of `chosen` of `places`, changed one place at a time until all were seen.
class RevolvingDoor {
 public:
  RevolvingDoor(std::size_t places, std::size_t chosen) : at_(chosen + 1), chosen_(chosen) {
    std::iota(at_.begin(), at_.end() - 1, 0);
    at_.back() = static_cast<int>(places);
  }

  // The place that is left for the place `in`; false after the last choice.
  bool Next(int& out, int& in) {
    if (chosen_ == 0) return false;
    out = at_[0];
    if (chosen_ % 2 == 1) {
      if (at_[0] + 1 < at_[1]) {
        in = ++at_[0];
        return true;
      }
      return Decrease(1, out, in);
    }
    if (at_[0] > 0) {
      in = --at_[0];
      return true;
    }
    return Increase(1, out, in);
  }

 private:
  bool Decrease(std::size_t i, int& out, int& in) {
    if (i >= chosen_) return false;
    if (at_[i] > static_cast<int>(i)) {
      out = at_[i];
      at_[i] = at_[i - 1];
      in = at_[i - 1] = static_cast<int>(i) - 1;
      return true;
    }
    return Increase(i + 1, out, in);
  }

  bool Increase(std::size_t i, int& out, int& in) {
    if (i >= chosen_) return false;
    if (at_[i] + 1 < at_[i + 1]) {
      out = at_[i - 1];
      at_[i - 1] = at_[i];
      in = ++at_[i];
      return true;
    }
    return Decrease(i + 1, out, in);
  }

  std::vector<int> at_;  // ascending; then how many places there are
  std::size_t chosen_;
};

// The runs of up to kGroup items, each item's mean taken away, and sums of those that are dealt to
// the smaller side. With sides of one size the first run stays dealt: each way stands for the one
// that swaps the sides, too.
class Group {
 public:
  explicit Group(std::span<const ItemAmounts> items)
      : runs_before_(items[0].before.size()), runs_(runs_before_ + items[0].after.size()) {
    columns_.resize(runs_);
    for (std::size_t i = 0; i < items.size(); ++i) Fill(items[i], i);
  }

  // Counts hits over all ways.
  void Deal() {
    const std::size_t dealt = std::min(runs_before_, runs_ - runs_before_);
    const std::size_t fixed = 2 * dealt == runs_ ? 1 : 0;
    for (std::size_t run = 0; run < dealt; ++run) {
      for (std::size_t i = 0; i < kGroup; ++i) sums_[i] += columns_[run][i];
    }
    RevolvingDoor door(runs_ - fixed, dealt - fixed);
    int out = 0;
    int in = 0;
    ways_ = 0;
    do {
      if (ways_ > 0) {
        const Column& leaves = columns_[static_cast<std::size_t>(out) + fixed];
        const Column& enters = columns_[static_cast<std::size_t>(in) + fixed];
        for (std::size_t i = 0; i < kGroup; ++i) sums_[i] += enters[i] - leaves[i];
      }
      for (std::size_t i = 0; i < kGroup; ++i) {
        hits_[i] += std::abs(sums_[i]) >= thresholds_[i] ? 1 : 0;
      }
      ++ways_;
    } while (door.Next(out, in));
  }

  [[nodiscard]] double P(std::size_t item) const {
    return static_cast<double>(hits_[item]) / static_cast<double>(ways_);
  }

 private:
  using Column = std::array<double, kGroup>;

  void Fill(const ItemAmounts& item, std::size_t i) {
    const double before = std::accumulate(item.before.begin(), item.before.end(), 0.0);
    const double after = std::accumulate(item.after.begin(), item.after.end(), 0.0);
    const double mean = (before + after) / static_cast<double>(runs_);
    // The dealt side comes first.
    const bool swapped = runs_ - runs_before_ < runs_before_;
    const std::span<const double> first = swapped ? item.after : item.before;
    const std::span<const double> second = swapped ? item.before : item.after;
    double seen = 0;
    double magnitude = 0;
    for (std::size_t run = 0; run < runs_; ++run) {
      const bool is_first = run < first.size();
      const double value = (is_first ? first[run] : second[run - first.size()]) - mean;
      columns_[run][i] = value;
      magnitude += std::abs(value);
      if (is_first) seen += value;
    }
    thresholds_[i] =
        std::abs(seen) - kSumTolerance * magnitude - kAmountTolerance * (before + after);
  }

  std::size_t runs_before_;
  std::size_t runs_;
  std::vector<Column> columns_;
  Column sums_{};
  Column thresholds_{};
  std::array<std::int64_t, kGroup> hits_{};
  std::int64_t ways_ = 0;
};

}  // namespace

std::vector<double> PermutationPs(std::span<const ItemAmounts> items) {
  std::vector<double> ps;
  ps.reserve(items.size());
  for (std::size_t start = 0; start < items.size(); start += kGroup) {
    const std::size_t count = std::min(kGroup, items.size() - start);
    Group group(items.subspan(start, count));
    group.Deal();
    for (std::size_t i = 0; i < count; ++i) ps.push_back(group.P(i));
  }
  return ps;
}

}  // namespace prof::analysis::statistics
