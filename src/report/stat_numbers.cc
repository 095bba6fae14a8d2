// Chooses digits and units for the numbers of `prof stat`.
#include "report/stat_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace prof::report {
namespace {

constexpr int kMostDecimals = 9;
constexpr double kLargestFixed = 1e15;

bool IsWhole(double value) { return std::floor(value) == value; }

// The power of ten of the first digit.
int ExponentOf(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

int SignificantDecimals(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int decimals = digits - 1 - ExponentOf(value);
  return decimals > kMostDecimals + digits - 1 ? kScientific : std::clamp(decimals, 0, 12);
}

}  // namespace

std::string GroupDigits(const std::string& digits) {
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(digits.find_first_not_of("0123456789", begin), digits.size());
  std::string grouped = digits;
  while (at > begin + 3) {
    at -= 3;
    grouped.insert(at, 1, ',');
  }
  return grouped;
}

std::string FixedText(double value, int decimals, bool grouped) {
  if (!std::isfinite(value)) return kNoNumber;
  if (decimals == kScientific || std::abs(value) >= kLargestFixed)
    return fmt::format("{:.5g}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // -0.001 in two decimals is no negative number.
  if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos)
    text.erase(0, 1);
  return grouped ? GroupDigits(text) : text;
}

int DecimalsFor(double spread, double magnitude) {
  if (spread == 0 || !std::isfinite(spread))
    return IsWhole(magnitude) ? 0 : SignificantDecimals(magnitude, 4);
  const int wanted = SignificantDecimals(spread, 2);
  if (magnitude == 0 || !std::isfinite(magnitude)) return wanted;
  const int most = SignificantDecimals(magnitude, 9);
  return wanted == kScientific ? SignificantDecimals(magnitude, 4) : std::min(wanted, most);
}

std::string SummaryText(const analysis::statistics::Summary& summary, double value, bool grouped) {
  if (value == 0) return "0";  // the digits of the others would only widen the column
  const bool counts = IsWhole(summary.min) && IsWhole(summary.max);
  return FixedText(value, counts && IsWhole(value) ? 0 : DecimalsOf(summary), grouped);
}

int DecimalsOf(const analysis::statistics::Summary& summary) {
  if (IsWhole(summary.min) && IsWhole(summary.max) && IsWhole(summary.median * 2))
    return IsWhole(summary.median) ? 0 : 1;
  // Most values may be equal, and some are not.
  double spread = summary.median_interval ? summary.median_interval->interval.Width() : 0;
  if (spread == 0) spread = summary.deviation.value_or(0);
  return DecimalsFor(spread, summary.median);
}

std::string NumberText(double value, bool grouped) {
  return FixedText(value, IsWhole(value) ? 0 : SignificantDecimals(value, 4), grouped);
}

ReadableUnit ReadableUnitOf(const std::string& unit, double magnitude) {
  static constexpr struct {
    double from;
    double factor;
    const char* name;
  } kTimes[] = {{0.1, 1, "s"}, {1e-4, 1e3, "ms"}, {1e-7, 1e6, "us"}};
  if (unit != "seconds") return {1, unit};
  if (magnitude == 0 || !std::isfinite(magnitude)) return {1, "s"};
  for (const auto& time : kTimes)
    if (std::abs(magnitude) >= time.from) return {time.factor, time.name};
  return {1e9, "ns"};
}

std::string MeasureText(double value, const std::string& unit) {
  const ReadableUnit readable = ReadableUnitOf(unit, value);
  const double shown = value * readable.factor;
  std::string text = FixedText(shown, IsWhole(shown) ? 0 : SignificantDecimals(shown, 3), true);
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return readable.name.empty() ? text : text + ' ' + readable.name;
}

std::string ProbabilityText(double p) {
  if (!std::isfinite(p)) return kNoNumber;
  if (p < 0.0001) return "<0.0001";
  if (p >= 0.995) return "1.0";
  return FixedText(p, std::min(SignificantDecimals(p, 2), 4));
}

const char* TrustWord(analysis::statistics::Trust trust) {
  switch (trust) {
    case analysis::statistics::Trust::kTrustworthy:
      return "trustworthy";
    case analysis::statistics::Trust::kModerate:
      return "moderate";
    case analysis::statistics::Trust::kInvestigate:
      return "investigate";
  }
  return "";
}

}  // namespace prof::report
