// Walks a regular expression, keeps what stands for itself.
#include "metric_name.h"

#include <algorithm>
#include <cctype>

namespace prof::tools {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
// Other scripts than Latin come as bytes of UTF-8.
bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// The place behind the bracket or parenthesis that opens at `at`, or the end. Classes begin with
// "]" where that is one of their characters.
std::size_t BehindClass(std::string_view pattern, std::size_t at) {
  ++at;
  if (at < pattern.size() && pattern[at] == '^') ++at;
  for (bool first = true; at < pattern.size(); first = false, ++at) {
    if (pattern[at] == '\\')
      ++at;
    else if (pattern[at] == ']' && !first)
      return at + 1;
  }
  return pattern.size();
}

std::size_t BehindGroup(std::string_view pattern, std::size_t at) {
  for (std::size_t depth = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == '[') {
      at = BehindClass(pattern, at) - 1;
    } else if (pattern[at] == '(') {
      ++depth;
    } else if (pattern[at] == ')' && --depth == 0) {
      return at + 1;
    }
  }
  return pattern.size();
}

// Words with one blank between them; nothing but letters, digits and signs of units at the ends.
std::string Trimmed(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || !words.ends_with(' ')) words += blank ? ' ' : c;
  }
  const auto is_kept = [](char c) { return IsWord(c) || IsLetter(c) || c == '%' || c == '/'; };
  const auto begin = std::ranges::find_if(words, is_kept);
  while (words.end() != begin && !is_kept(words.back())) words.pop_back();
  words.erase(words.begin(), begin);
  return std::ranges::any_of(words, IsLetter) ? words : "";
}

}  // namespace

std::string MetricNameOf(std::string_view pattern) {
  std::string before;
  std::string behind;
  bool has_group = false;
  for (std::size_t at = 0; at < pattern.size();) {
    std::string& text = has_group ? behind : before;
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      const char escaped = pattern[at + 1];
      text += IsWord(escaped) ? ' ' : escaped;  // \d, \s, \b: no text
      at += 2;
    } else if (c == '[') {
      text += ' ';
      at = BehindClass(pattern, at);
    } else if (c == '(') {
      text += ' ';
      has_group = has_group || !pattern.substr(at).starts_with("(?");
      at = BehindGroup(pattern, at);
    } else if (c == '{') {
      at = std::min(pattern.find('}', at), pattern.size() - 1) + 1;
    } else {
      if (std::string_view("*+?^$").find(c) == std::string_view::npos)
        text += c == '.' || c == '|' ? ' ' : c;
      ++at;
    }
  }
  const std::string name = Trimmed(before);
  return name.empty() ? Trimmed(behind) : name;
}

}  // namespace prof::tools
