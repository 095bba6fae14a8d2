#include "analysis/statistics/count_runs_apart.h"

#include <algorithm>
#include <cmath>

namespace prof::analysis::statistics {
namespace {

// Two runs lie so far apart even where chance hides it: of 14 runs of 5 s of a program of 30 equal
// loops, functions varied by 2 to 6 % beyond chance.
constexpr double kLeastVariation = 0.03;
// Items vary from run to run by different shares, and what is estimated is that of typical ones: so
// the tails are those of a Student's t. With 4 degrees, of 378 pairs of runs of each of seven
// programs at most 7 % show a significant item (a compiler whose memory the host was slow to give),
// all others 1 %; with 6 degrees it is 11 %.
constexpr double kVariationDegrees = 4;

double Median(std::vector<double> values) {
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

RunsApart WidenByRuns(std::span<const CountRow> rows, const CountDesign& design,
                      std::span<Spread> spreads) {
  // All in samples per block.
  const auto blocks = static_cast<double>(design.before);
  std::vector<VariedSquare> squares;
  squares.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CountRow& row = rows[i];
    const double delta = row.after - row.before;
    const double disturbance = row.disturbance / blocks;
    squares.push_back({.square = delta * delta,
                       .base = spreads[i].variance + 2 * disturbance * disturbance,
                       .scale = row.before * row.before + row.after * row.after});
  }
  RunsApart apart{.variation = std::max(kLeastVariation, FitVariation(squares, 1))};
  std::vector<double> factors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Spread& spread = spreads[i];
    const double all = squares[i].base + apart.variation * apart.variation * squares[i].scale;
    if (!(spread.variance > 0)) continue;  // no samples
    factors.push_back(std::sqrt(all / spread.variance));
    // Satterthwaite, Biometrics Bulletin 2 (1946), by shares.
    const double seen = spread.variance / all;
    const double guessed = 1 - seen;
    spread = {all, 1 / (seen * seen / spread.degrees + guessed * guessed / kVariationDegrees)};
  }
  apart.widened = std::max(1.0, Median(std::move(factors)));
  return apart;
}

}  // namespace prof::analysis::statistics
