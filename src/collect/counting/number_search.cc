// Lines, patterns, numbers.
#include "collect/counting/number_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prof::collect {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

}  // namespace

void LineSplitter::Keep(std::string_view part) {
  line_.append(part.substr(0, kLongestLine - std::min(kLongestLine, line_.size())));
}

void LineSplitter::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    Keep(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    Finish();
  }
}

void LineSplitter::Finish() {
  if (!line_.empty()) consumer_(line_);
  line_.clear();
}

void NumberSearch::Look(std::string_view line) {
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const auto text = metrics_[i].pattern.CaptureLast(line);
    if (!text) continue;
    if (const auto number = ParseFiniteNumber(*text)) values_[i] = number;
  }
}

std::optional<std::uint32_t> NumberSearch::FirstMissing() const {
  const auto at = std::ranges::find_if(values_, [](const auto& value) { return !value; });
  if (at == values_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - values_.begin());
}

std::vector<double> NumberSearch::Values() const {
  std::vector<double> values;
  for (const auto& value : values_) {
    if (value) values.push_back(*value);
  }
  return values;
}

std::optional<double> ParseFiniteNumber(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  if (!whole || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace prof::collect
