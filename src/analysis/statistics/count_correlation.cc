#include "analysis/statistics/count_correlation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/statistics/moments.h"

namespace prof::analysis::statistics {
namespace {

// The heaviest ones tell enough, and the work grows with the square of their number.
constexpr std::size_t kMostItems = 200;

void AppendResiduals(std::span<const double> values, std::vector<double>& residuals) {
  const double mean = MomentsOf(values).mean;
  for (const double value : values) residuals.push_back(value - mean);
}

// Of length 1; all 0 of an item that does not vary.
std::vector<double> ResidualsOf(const ItemAmounts& item, const CountDesign& design) {
  std::vector<double> residuals;
  if (design.units == CountUnits::kBlocks) {
    std::vector<double> differences(design.before);
    std::transform(item.after.begin(), item.after.end(), item.before.begin(), differences.begin(),
                   std::minus<>());
    AppendResiduals(differences, residuals);
  } else {
    AppendResiduals(item.before, residuals);
    AppendResiduals(item.after, residuals);
  }
  const double largest =
      std::abs(*std::max_element(residuals.begin(), residuals.end(), [](double left, double right) {
        return std::abs(left) < std::abs(right);
      }));
  if (!(largest > 0)) return residuals;
  double squares = 0;
  for (double& residual : residuals) {
    residual /= largest;
    squares += residual * residual;
  }
  for (double& residual : residuals) residual /= std::sqrt(squares);
  return residuals;
}

std::vector<std::size_t> Heaviest(std::span<const double> weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [weights](std::size_t left, std::size_t right) {
    return std::pair(-weights[left], left) < std::pair(-weights[right], right);
  });
  order.resize(std::min(order.size(), kMostItems));
  return order;
}

}  // namespace

double IndependentItems(std::span<const ItemAmounts> items, std::span<const double> weights,
                        const CountDesign& design) {
  const double degrees = design.Degrees();
  const std::vector<std::size_t> heaviest = Heaviest(weights);
  double sum = 0;
  double own = 0;
  std::vector<std::vector<double>> residuals;
  for (const std::size_t i : heaviest) {
    sum += weights[i];
    own += weights[i] * weights[i];
    residuals.push_back(ResidualsOf(items[i], design));
  }
  const double pairs = sum * sum - own;
  if (!(own > 0)) return static_cast<double>(items.size());
  if (!(pairs > 0) || degrees <= 1) return 1;
  double squares = 0;
  for (std::size_t i = 0; i < heaviest.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double correlation =
          std::inner_product(residuals[i].begin(), residuals[i].end(), residuals[j].begin(), 0.0);
      squares += 2 * weights[heaviest[i]] * weights[heaviest[j]] * correlation * correlation;
    }
  }
  // Of independent items it is 1 / degrees.
  const double chance = 1 / degrees;
  const double together = std::clamp((squares / pairs - chance) / (1 - chance), 0.0, 1.0);
  return sum * sum / (own + together * pairs);
}

}  // namespace prof::analysis::statistics
