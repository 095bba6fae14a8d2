// Splits Rust v0 names into numbers and identifiers.
#include "symbols/rust_v0_scanner.h"

#include <charconv>

#include "symbols/punycode.h"

namespace prof::symbols {

char RustV0Scanner::Take() {
  const char c = Peek();
  if (c == '\0')
    Fail();
  else
    ++at_;
  return c;
}

bool RustV0Scanner::TakeIf(char c) {
  if (Peek() != c || c == '\0') return false;
  ++at_;
  return true;
}

std::uint64_t RustV0Scanner::Base62() {
  if (TakeIf('_')) return 0;
  std::uint64_t value = 0;
  for (;;) {
    const char c = Take();
    if (!ok_) return 0;
    if (c == '_') return value + 1;
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'Z')
      digit = static_cast<std::uint64_t>(c - 'A') + 36;
    else
      Fail();
    if (value > (UINT64_MAX - digit - 1) / 62) Fail();
    value = value * 62 + digit;
  }
}

std::uint64_t RustV0Scanner::OptionalBase62(char tag) { return TakeIf(tag) ? Base62() + 1 : 0; }

// No leading zeros: "00" is two empty names.
std::size_t RustV0Scanner::Decimal() {
  if (TakeIf('0')) return 0;
  std::size_t size = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
  if (!ok_ || error != std::errc()) {
    Fail();
    return 0;
  }
  at_ += static_cast<std::size_t>(end - begin);
  return size;
}

std::string RustV0Scanner::UndisambiguatedName() {
  const bool punycode = TakeIf('u');
  const std::size_t size = Decimal();
  TakeIf('_');
  if (!ok_ || size > text_.size() - at_) {
    Fail();
    return {};
  }
  const std::string_view bytes = text_.substr(at_, size);
  at_ += size;
  if (!punycode) return std::string(bytes);
  auto decoded = DecodePunycode(bytes);
  if (!decoded) Fail();
  return decoded.value_or("");
}

RustIdentifier RustV0Scanner::Name() {
  const std::uint64_t disambiguator = OptionalBase62('s');
  return {disambiguator, UndisambiguatedName()};
}

std::string_view RustV0Scanner::HexDigits() {
  const std::size_t begin = at_;
  while (ok_) {
    const char c = Take();
    if (c == '_') return text_.substr(begin, at_ - 1 - begin);
    if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) Fail();
  }
  return {};
}

}  // namespace prof::symbols
