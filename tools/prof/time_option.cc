// Parses --time and places it in a recording.
#include "time_option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace prof::tools {
namespace {

std::unexpected<Error> BadTime(std::string_view text) {
  return Fail(ErrorKind::kUsage, "--time: '" + std::string(text) + "' is not a range of time",
              "--time 1.5,3 (seconds), --time 10%-20% or --time 10%/2 (the second tenth)");
}

std::optional<TimePoint> ParsePoint(std::string_view text) {
  TimePoint point;
  if (text.ends_with('%')) {
    point.percent = true;
    text.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), point.value);
  if (error != std::errc() || end != text.data() + text.size() || !(point.value >= 0))
    return std::nullopt;
  if (point.percent ? point.value > 100 : point.value > 1e10) return std::nullopt;
  return point;
}

// "10%/2": the second tenth.
Result<TimeRange> ParseSlice(std::string_view text, std::size_t slash) {
  const std::optional<TimePoint> width = ParsePoint(text.substr(0, slash));
  const std::optional<TimePoint> number = ParsePoint(text.substr(slash + 1));
  if (!width || !width->percent || !number || number->percent || number->value < 1)
    return BadTime(text);
  const double begin = width->value * (std::floor(number->value) - 1);
  if (begin >= 100) return BadTime(text);
  return TimeRange{TimePoint{begin, true}, TimePoint{std::min(begin + width->value, 100.0), true}};
}

std::uint64_t Resolve(const TimePoint& point, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const double length = static_cast<double>(end_ns - begin_ns) / 1e9;
  if (point.percent)
    return begin_ns + static_cast<std::uint64_t>(std::llround(length * 1e7 * point.value));
  const auto ns = static_cast<std::uint64_t>(std::llround(point.value * 1e9));
  return point.value <= length ? begin_ns + ns : ns;
}

}  // namespace

Result<TimeRange> ParseTimeRange(std::string_view text) {
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos)
    return ParseSlice(text, slash);
  std::size_t middle = text.find(',');
  if (middle == std::string_view::npos) middle = text.find('-');
  if (middle == std::string_view::npos) {
    const std::optional<TimePoint> point = ParsePoint(text);
    if (!point || !point->percent) return BadTime(text);
    return TimeRange{TimePoint{0, true}, point};  // "10%": the first tenth
  }
  TimeRange range;
  if (const std::string_view begin = text.substr(0, middle); !begin.empty()) {
    range.begin = ParsePoint(begin);
    if (!range.begin) return BadTime(text);
  }
  if (const std::string_view end = text.substr(middle + 1); !end.empty()) {
    range.end = ParsePoint(end);
    if (!range.end) return BadTime(text);
  }
  if (!range.begin && !range.end) return BadTime(text);
  const bool comparable = range.begin && range.end && range.begin->percent == range.end->percent;
  if (comparable && range.begin->value > range.end->value) return BadTime(text);
  return range;
}

std::pair<std::uint64_t, std::uint64_t> ResolveTimeRange(const TimeRange& range,
                                                         std::uint64_t begin_ns,
                                                         std::uint64_t end_ns) {
  end_ns = std::max(begin_ns, end_ns);
  return {range.begin ? Resolve(*range.begin, begin_ns, end_ns) : 0,
          range.end ? Resolve(*range.end, begin_ns, end_ns) : ~std::uint64_t{0}};
}

}  // namespace prof::tools
