// Reading of numbers that must be the whole text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace prof::perf {

inline std::optional<std::uint64_t> ParseNumber(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Decimal, or hexadecimal behind "0x".
inline std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return ParseNumber(text.substr(2), 16);
  return ParseNumber(text, 10);
}

}  // namespace prof::perf
