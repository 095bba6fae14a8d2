// Few digits, as many as matter.
#include "analysis/counts/value_text.h"

#include <fmt/format.h>

#include <cmath>

namespace prof::analysis::counts {
namespace {

constexpr double kLeastP = 0.0001;

int PercentDigits(double percent) {
  const double size = std::abs(percent);
  if (size >= 100) return 0;
  return size < 1 && size > 0 ? 2 : 1;
}

}  // namespace

std::string CountText(double count) {
  std::string text = fmt::format("{:.0f}", std::abs(count));
  for (std::size_t at = text.size(); std::isfinite(count) && at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  const bool is_negative = count < 0 && text != "0";
  return is_negative ? fmt::format("-{}", text) : text;
}

std::string SecondsText(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 10) return fmt::format("{:.0f} s", seconds);
  if (size >= 0.1) return fmt::format("{:.2f} s", seconds);
  if (size >= 0.01) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.1f} ms", seconds * 1e3);
}

std::string PercentText(double percent) { return PercentNumber(percent, percent) + " %"; }

std::string PercentNumber(double percent, double like) {
  return fmt::format("{:.{}f}", percent, PercentDigits(like));
}

std::string ProbabilityText(double p) {
  if (p < kLeastP) return fmt::format("p < {}", kLeastP);
  if (p < 0.001) return fmt::format("p = {:.4f}", p);
  return p < 0.1 ? fmt::format("p = {:.3f}", p) : fmt::format("p = {:.2f}", p);
}

std::string Plural(std::uint64_t count, const std::string& noun) {
  return CountText(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace prof::analysis::counts
