// The Wilson score interval: unlike the normal one it stays within [0, 1] and works for few
// samples.
#include "analysis/wilson.h"

#include <algorithm>
#include <cmath>

namespace prof::analysis {

ShareInterval WilsonInterval(double share, double samples) {
  if (samples <= 0) return {0, 1};
  constexpr double kQuantile = 1.959963984540054;  // of the standard normal distribution at 0.975
  const double squared = kQuantile * kQuantile;
  const double scale = 1 + squared / samples;
  const double center = (share + squared / (2 * samples)) / scale;
  const double half = kQuantile / scale *
                      std::sqrt(share * (1 - share) / samples + squared / (4 * samples * samples));
  return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

}  // namespace prof::analysis
