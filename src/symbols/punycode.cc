// Decodes punycode.
#include "symbols/punycode.h"

#include <algorithm>
#include <cstdint>

namespace prof::symbols {
namespace {

constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kMinThreshold = 1;
constexpr std::uint32_t kMaxThreshold = 26;
constexpr std::uint32_t kLastCodePoint = 0x10ffff;

// RFC 3492, section 6.1.
std::uint32_t AdaptBias(std::uint32_t delta, std::uint32_t count, bool first) {
  delta = first ? delta / 700 : delta / 2;
  delta += delta / count;
  std::uint32_t k = 0;
  for (; delta > (kBase - kMinThreshold) * kMaxThreshold / 2; k += kBase) {
    delta /= kBase - kMinThreshold;
  }
  return k + (kBase - kMinThreshold + 1) * delta / (delta + 38);
}

std::optional<std::uint32_t> Digit(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a');
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 26;
  return std::nullopt;
}

}  // namespace

void AppendUtf8(char32_t c, std::string& out) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::optional<std::string> DecodePunycode(std::string_view encoded) {
  const std::size_t delimiter = encoded.rfind('_');
  std::u32string text;
  if (delimiter != std::string_view::npos) {
    for (const char c : encoded.substr(0, delimiter)) text += static_cast<unsigned char>(c);
    encoded.remove_prefix(delimiter + 1);
  }
  std::uint32_t code = 0x80;
  std::uint32_t bias = 72;
  std::uint64_t at = 0;
  while (!encoded.empty()) {
    std::uint64_t delta = 0;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (encoded.empty()) return std::nullopt;
      const auto digit = Digit(encoded.front());
      encoded.remove_prefix(1);
      if (!digit) return std::nullopt;
      delta += *digit * weight;
      const std::uint32_t threshold =
          k <= bias ? kMinThreshold : std::clamp(k - bias, kMinThreshold, kMaxThreshold);
      if (*digit < threshold) break;
      weight *= kBase - threshold;
      if (delta > UINT32_MAX || weight > UINT32_MAX) return std::nullopt;
    }
    const std::uint64_t count = text.size() + 1;
    if (delta > UINT32_MAX) return std::nullopt;
    bias = AdaptBias(static_cast<std::uint32_t>(delta), static_cast<std::uint32_t>(count),
                     at == 0 && code == 0x80);
    at += delta;
    code += static_cast<std::uint32_t>(at / count);
    at %= count;
    if (code > kLastCodePoint) return std::nullopt;
    text.insert(static_cast<std::size_t>(at), 1, code);
    ++at;
  }
  std::string out;
  for (const char32_t c : text) AppendUtf8(c, out);
  return out;
}

}  // namespace prof::symbols
