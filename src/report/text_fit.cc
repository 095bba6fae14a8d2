// Measures, pads, cuts and wraps text for columns of a terminal.
#include "report/text_fit.h"

#include <algorithm>

namespace prof::report {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The first `columns` code points, or the last.
std::string_view Head(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size() && (columns > 0 || IsContinuation(text[at]))) {
    if (!IsContinuation(text[at])) --columns;
    ++at;
  }
  return text.substr(0, at);
}

std::string_view Tail(std::string_view text, std::size_t columns) {
  std::size_t at = text.size();
  while (at > 0 && columns > 0) {
    --at;
    if (!IsContinuation(text[at])) --columns;
  }
  return text.substr(at);
}

struct Span {
  std::size_t begin = 0;  // of the opening bracket
  std::size_t end = 0;    // past the closing one
};

// Whether the '<' or '>' at `at` belongs to an operator name or an arrow and is no bracket.
bool IsOperatorSign(std::string_view name, std::size_t at) {
  if (at > 0 && name[at] == '>' && name[at - 1] == '-') return true;
  std::size_t start = at;
  while (start > 0 && (name[start - 1] == '<' || name[start - 1] == '>' || name[start - 1] == '='))
    --start;
  return name.substr(0, start).ends_with("operator");
}

// The longest outermost bracket pair that holds more than "...".
Span LongestBrackets(std::string_view name, char open, char close) {
  Span best;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != open && name[at] != close) continue;
    if (IsOperatorSign(name, at)) continue;
    if (name[at] == open) {
      if (depth++ == 0) begin = at;
    } else if (depth > 0 && --depth == 0 && at + 1 - begin > best.end - best.begin &&
               at - begin > 4) {
      best = {begin, at + 1};
    }
  }
  return best;
}

std::string FoldBrackets(std::string name, char open, char close, std::size_t width) {
  while (DisplayWidth(name) > width) {
    const Span span = LongestBrackets(name, open, close);
    if (span.end == 0) break;
    name.replace(span.begin + 1, span.end - span.begin - 2, "...");
  }
  return name;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !IsContinuation(c); }));
}

std::string Printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F: some terminals take U+009B for the beginning of a sequence.
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    result += byte < 0x20 || byte == 0x7F || c1 ? '?' : text[i];
    if (c1) ++i;
  }
  return result;
}

std::string PadLeft(std::string_view text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string PadRight(std::string_view text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::string ExpandTabs(std::string_view text) {
  constexpr std::size_t kStop = 8;
  std::string expanded;
  std::size_t column = 0;
  for (const char c : text) {
    if (c == '\t') {
      expanded.append(kStop - column % kStop, ' ');
      column += kStop - column % kStop;
      continue;
    }
    expanded += c;
    if (!IsContinuation(c)) ++column;
  }
  return expanded;
}

std::string CutText(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 4);
  if (DisplayWidth(text) <= width) return std::string(text);
  return std::string(Head(text, width - 3)).append("...");
}

std::string FitSource(std::string_view line, std::size_t width) {
  const std::size_t columns = DisplayWidth(line);
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (columns > width) line.remove_prefix(std::min(indent, columns - width));
  return CutText(line, width);
}

std::string FitName(std::string_view name, std::size_t width) {
  width = std::max<std::size_t>(width, 4);
  std::string fitted = FoldBrackets(std::string(name), '<', '>', width);
  fitted = FoldBrackets(std::move(fitted), '(', ')', width);
  if (DisplayWidth(fitted) > width && fitted.ends_with("(...)")) fitted.resize(fitted.size() - 5);
  if (DisplayWidth(fitted) <= width) return fitted;
  const std::size_t kept = width - 3;
  const std::size_t tail =
      (2 * kept + 1) / 3;  // the end of a qualified name tells more than its beginning
  return std::string(Head(fitted, kept - tail)).append("...").append(Tail(fitted, tail));
}

std::size_t FoldedWidth(std::string_view name) {
  return DisplayWidth(FoldBrackets(FoldBrackets(std::string(name), '<', '>', 1), '(', ')', 1));
}

std::vector<std::string> WrapWords(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    std::size_t space = std::min(text.find(' '), text.size());
    if (text.substr(space).starts_with(" %"))
      space = std::min(text.find(' ', space + 1), text.size());
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && DisplayWidth(line) + 1 + DisplayWidth(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  lines.push_back(std::move(line));
  return lines;
}

}  // namespace prof::report
