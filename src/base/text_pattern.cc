// PCRE2 behind three questions: does it match, what did the first match capture, what did the last.
#include "prof/base/text_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstdint>
#include <utility>

namespace prof {
namespace {

constexpr std::uint32_t kMatchLimit =
    1'000'000;  // steps of one match; PCRE2's default is ten times more
constexpr std::uint32_t kHeapLimitKb = 20'000;

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string MessageOf(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  ::pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct FreeCode {
  void operator()(pcre2_code* code) const { ::pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { ::pcre2_match_data_free(match); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { ::pcre2_match_context_free(context); }
};

}  // namespace

struct TextPattern::Compiled {
  std::unique_ptr<pcre2_code, FreeCode> code;
  std::unique_ptr<pcre2_match_data, FreeMatch> match;
  std::unique_ptr<pcre2_match_context, FreeContext> context;

  struct Match {
    std::size_t begin = 0, end = 0;  // of the whole match
    std::string_view captured;
  };
  std::optional<Match> Find(std::string_view text, std::size_t from) const {
    const int groups =
        ::pcre2_match(code.get(), Units(text), text.size(), from, 0, match.get(), context.get());
    if (groups <= 0) return std::nullopt;
    const PCRE2_SIZE* ends = ::pcre2_get_ovector_pointer(match.get());
    const bool has_group = groups > 1 && ends[2] != PCRE2_UNSET;
    const std::size_t begin = has_group ? ends[2] : ends[0];
    const std::size_t end = has_group ? ends[3] : ends[1];
    return Match{ends[0], ends[1], text.substr(begin, end > begin ? end - begin : 0)};
  }
};

TextPattern::TextPattern(std::shared_ptr<const Compiled> compiled)
    : compiled_(std::move(compiled)) {}

Result<TextPattern> TextPattern::Compile(const std::string& pattern, std::string_view what) {
  int error = 0;
  PCRE2_SIZE at = 0;
  auto compiled = std::make_shared<Compiled>();
  compiled->code.reset(::pcre2_compile(
      Units(pattern), pattern.size(), PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
      &error, &at, nullptr));
  if (compiled->code == nullptr) {
    return Fail(ErrorKind::kUsage,
                std::string(what) + ": '" + pattern + "': " + MessageOf(error) + " (at character " +
                    std::to_string(at + 1) + ")",
                "quote special characters with a backslash");
  }
  compiled->match.reset(::pcre2_match_data_create_from_pattern(compiled->code.get(), nullptr));
  compiled->context.reset(::pcre2_match_context_create(nullptr));
  if (compiled->match == nullptr || compiled->context == nullptr)
    return Fail(ErrorKind::kSystem, std::string(what) + ": out of memory");
  ::pcre2_set_match_limit(compiled->context.get(), kMatchLimit);
  ::pcre2_set_heap_limit(compiled->context.get(), kHeapLimitKb);
  return TextPattern(std::move(compiled));
}

bool TextPattern::Matches(std::string_view text) const {
  return compiled_->Find(text, 0).has_value();
}

std::optional<std::string_view> TextPattern::Capture(std::string_view text) const {
  const auto match = compiled_->Find(text, 0);
  if (!match) return std::nullopt;
  return match->captured;
}

std::optional<std::string_view> TextPattern::CaptureLast(std::string_view text) const {
  std::optional<std::string_view> last;
  std::size_t from = 0;
  while (from <= text.size()) {
    const auto match = compiled_->Find(text, from);
    if (!match) break;
    last = match->captured;
    from = match->end > from ? match->end : from + 1;  // an empty match must not repeat
  }
  return last;
}

}  // namespace prof
