// Formats times, shares and counts.
#include "report/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace prof::report {

std::string SecondsText(double seconds) {
  if (seconds != 0 && std::abs(seconds) < 0.01) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string ShareText(double share) {
  const double percent = share * 100;
  if (percent == 0 || (percent >= 10 && percent < 99) || percent >= 99.95)
    return fmt::format("{:.0f} %", percent);
  return percent < 0.1 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.1f} %", percent);
}

std::string ShortCount(std::uint64_t count) {
  static constexpr char kUnits[] = {' ', 'K', 'M', 'G', 'T'};
  std::size_t unit = 0;
  while (count >= 1000 && unit + 1 < sizeof kUnits) {
    count /= 1000;
    ++unit;
  }
  return std::to_string(count) + kUnits[unit];
}

double Share(double part, double whole) { return whole <= 0 ? 0 : part / whole; }

Interval WilsonInterval(std::uint64_t hits, std::uint64_t samples) {
  if (samples == 0) return {0, 1};
  constexpr double kZ = 1.959964;  // 97.5 % quantile of the normal distribution
  const auto n = static_cast<double>(samples);
  const double p = static_cast<double>(hits) / n;
  const double scale = 1 / (1 + kZ * kZ / n);
  const double centre = (p + kZ * kZ / (2 * n)) * scale;
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) * scale;
  return {centre - half, centre + half};
}

}  // namespace prof::report
