// Regular expressions in text that a user or a program wrote.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "prof/base/result.h"

namespace prof {

// A compiled Perl-compatible pattern (PCRE2, UTF-8 where the text is valid, bytes else). Copies
// share the compiled form. Matching takes bounded time and memory whatever the pattern (PCRE2's
// match limits); where they are hit, it counts as no match. One thread at a time, copies included.
class TextPattern {
 public:
  // kUsage with the position of the mistake: "--metric: missing closing parenthesis at 7 in ...";
  // `what` is the option it came from.
  static Result<TextPattern> Compile(const std::string& pattern, std::string_view what);

  [[nodiscard]] bool Matches(std::string_view text) const;
  // The first group of the first match, or the whole match where the pattern has no group (or that
  // group took no part).
  [[nodiscard]] std::optional<std::string_view> Capture(std::string_view text) const;
  // As Capture, of the last match in `text`.
  [[nodiscard]] std::optional<std::string_view> CaptureLast(std::string_view text) const;

 private:
  struct Compiled;
  explicit TextPattern(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace prof
