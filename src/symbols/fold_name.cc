// Shortens demangled names for narrow columns.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include "prof/symbols/demangle.h"

namespace prof::symbols {
namespace {

bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The length of the operator symbol at the start of `text` ("<", "<<=", "()", "->*"), 0 for none.
std::size_t OperatorSymbol(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWithBrackets = {
      "<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "<=", ">=", "->", "[]", "<", ">", ","};
  for (const std::string_view symbol : kWithBrackets) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return std::min(text.find_first_not_of("+-*/%^&|~!="), text.size());
}

// Whether "operator" stands at `at` as a word of its own.
bool IsOperatorAt(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  const std::string_view rest = text.substr(at);
  return rest.starts_with(kWord) && (at == 0 || !IsNameChar(text[at - 1])) &&
         (rest.size() == kWord.size() || !IsNameChar(rest[kWord.size()]));
}

// The end of the bracket that opens at `open`; npos when it does not close. '>' of "->" and of
// operators inside do not count.
std::size_t CloseOf(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '>' || c == '}' || c == ']') {
      if (c == '>' && i > 0 && text[i - 1] == '-') continue;
      if (--depth == 0) return i;
    } else if (c == 'o' && IsOperatorAt(text, i)) {
      i += std::string_view("operator").size() - 1;
      i += OperatorSymbol(text.substr(i + 1));
    }
  }
  return std::string_view::npos;
}

// The first `wanted` outside brackets from `from` on; the size of `text` when there is none.
std::size_t FindOutside(std::string_view text, std::size_t from, std::string_view wanted) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text.substr(i).starts_with(wanted)) return i;
    if (IsOperatorAt(text, i)) {
      i += std::string_view("operator").size() - 1;
      i += OperatorSymbol(text.substr(i + 1));
    } else if (text[i] == '<' || text[i] == '(' || text[i] == '{' || text[i] == '[') {
      const std::size_t close = CloseOf(text, i);
      if (close == std::string_view::npos) break;
      i = close;
    }
  }
  return text.size();
}

class Folder {
 public:
  // `keep_templates`: only parameter lists and return types go.
  Folder(std::string_view text, bool keep_templates)
      : text_(text), keep_templates_(keep_templates) {}

  std::string Run() {
    while (at_ < text_.size()) {
      if (!Step()) return std::string(text_);
    }
    return prefix_ + out_;
  }

 private:
  // Takes one piece of the name; false when brackets do not match.
  bool Step() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest.front();
    if (IsOperatorAt(text_, at_)) return Operator();
    if (c == '<') return Angle();
    if (c == '(') return Parenthesis();
    if (c == '{' || c == '[') return Verbatim();
    if (c == ' ') return Space();
    out_ += c;
    ++at_;
    return true;
  }

  void Copy(std::size_t size) {
    out_ += text_.substr(at_, size);
    at_ += size;
  }

  bool Verbatim() {
    const std::size_t close = CloseOf(text_, at_);
    if (close == std::string_view::npos) return false;
    Copy(close + 1 - at_);
    return true;
  }

  // "operator<", "operator()", "operator new[]", "operator std::string": up to the parameter list.
  bool Operator() {
    Copy(std::string_view("operator").size());
    if (const std::size_t symbol = OperatorSymbol(text_.substr(at_)); symbol > 0) {
      Copy(symbol);
      if (text_.substr(at_).starts_with(" <")) Copy(1);  // "operator< <int>"
      return true;
    }
    const std::size_t parameters = FindOutside(text_, at_, "(");
    const std::string_view target = text_.substr(at_, parameters - at_);
    if (target.starts_with(" new") || target.starts_with(" delete") || target.starts_with("\"\"")) {
      out_ += target.substr(0, target.find('<'));
    } else {
      out_ +=
          " " +
          Fold(target.substr(std::min<std::size_t>(target.find_first_not_of(' '), target.size())));
    }
    at_ = parameters;
    return true;
  }
  // Rust's "<T as Trait>::f" begins with a bracket: what is inside is the name.
  bool Angle() {
    const std::size_t close = CloseOf(text_, at_);
    if (close == std::string_view::npos) return false;
    const std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    if (out_.empty()) {
      const std::size_t as = FindOutside(inside, 0, " as ");
      out_ += "<" + Fold(inside.substr(0, as));
      if (as < inside.size()) out_ += " as " + Fold(inside.substr(as + 4));
      out_ += ">";
    } else if (keep_templates_) {
      out_ += text_.substr(at_, close + 1 - at_);
    } else if (!out_.ends_with("<...>")) {
      out_ += "<...>";
    }
    at_ = close + 1;
    return true;
  }

  bool Parenthesis() {
    const std::size_t close = CloseOf(text_, at_);
    if (close == std::string_view::npos) return false;
    const std::string_view group = text_.substr(at_, close + 1 - at_);
    if (out_.empty() && group.starts_with("(*")) {  // "void (*signal(int))(int)" returns a pointer
      out_ = Fold(group.substr(2, group.size() - 3));
      at_ = text_.size();
      return true;
    }
    // "(anonymous namespace)" and what Rust or scripts put at the start of a component are names.
    if (group == "(anonymous namespace)" || out_.empty() || out_.ends_with("::")) {
      Copy(group.size());
      return true;
    }
    at_ = close + 1;
    SkipQualifiers();
    return true;
  }

  // " const", " &&", " noexcept" behind a parameter list say nothing in a profile.
  void SkipQualifiers() {
    constexpr std::array<std::string_view, 5> kQualifiers = {" const", " volatile", " noexcept",
                                                             " &&", " &"};
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view qualifier : kQualifiers) {
        if (!text_.substr(at_).starts_with(qualifier)) continue;
        at_ += qualifier.size();
        again = true;
      }
    }
  }

  // A blank outside brackets ends a return type, if a parameter list follows, or a phrase of the
  // demangler, which stays.
  bool Space() {
    ++at_;
    constexpr std::array<std::string_view, 5> kPhrases = {"thunk to", "transaction clone for",
                                                          "vtable for", "guard variable for",
                                                          "-virtual thunk to"};
    for (const std::string_view phrase : kPhrases) {
      if (out_.ends_with(phrase)) {
        prefix_ += out_ + " ";
        out_.clear();
        return true;
      }
    }
    const bool phrase_continues = text_.substr(at_).starts_with("thunk to ") ||
                                  text_.substr(at_).starts_with("for ") ||
                                  text_.substr(at_).starts_with("to ");
    if (phrase_continues || FindOutside(text_, at_, "(") == text_.size())
      out_ += ' ';
    else
      out_.clear();
    return true;
  }

  [[nodiscard]] std::string Fold(std::string_view part) const {
    return Folder(part, keep_templates_).Run();
  }

  std::string_view text_;
  bool keep_templates_;
  std::size_t at_ = 0;
  std::string prefix_;  // "non-virtual thunk to "
  std::string out_;
};

}  // namespace

std::string FoldName(std::string_view demangled) {
  if (demangled.find_first_of("<(") == std::string_view::npos) return std::string(demangled);
  return Folder(demangled, false).Run();
}

std::string StripSignature(std::string_view demangled) {
  if (demangled.find('(') == std::string_view::npos) return std::string(demangled);
  return Folder(demangled, true).Run();
}

}  // namespace prof::symbols
