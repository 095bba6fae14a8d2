#include "prof/analysis/statistics/multiplicity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace prof::analysis::statistics {
namespace {

double Usable(double p) { return p >= 0 && p <= 1 ? p : 1; }

// Indices of `p` from the smallest value to the largest.
std::vector<std::size_t> Ascending(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [p](std::size_t left, std::size_t right) {
    return std::pair(Usable(p[left]), left) < std::pair(Usable(p[right]), right);
  });
  return order;
}

}  // namespace

std::vector<double> AdjustHolm(std::span<const double> p) {
  const std::vector<std::size_t> order = Ascending(p);
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double scaled = Usable(p[order[i]]) * static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, scaled));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> AdjustBenjaminiHochberg(std::span<const double> p) {
  const std::vector<std::size_t> order = Ascending(p);
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (std::size_t i = order.size(); i > 0; --i) {
    const double scaled =
        Usable(p[order[i - 1]]) * static_cast<double>(order.size()) / static_cast<double>(i);
    smallest = std::min(smallest, scaled);
    adjusted[order[i - 1]] = smallest;
  }
  return adjusted;
}

}  // namespace prof::analysis::statistics
