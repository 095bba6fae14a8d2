// Splits --vs strings and looks for commands in PATH.
#include "stat_sides.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace prof::tools {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kOperators = "|&;<>()";

Error NeedsShell(std::string_view what, char character, std::string_view text) {
  return {ErrorKind::kUsage,
          std::string(what) + ": '" + character + "' in \"" + std::string(text) +
              "\" needs a shell, and commands are run without one",
          "--shell runs all sides with sh -c; quotes make it a plain character"};
}

class Splitter {
 public:
  Splitter(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Result<std::vector<std::string>> Split() {
    while (at_ < text_.size()) PROF_TRY(Next());
    EndWord();
    if (words_.empty())
      return Fail(ErrorKind::kUsage, std::string(what_) + ": the command is empty",
                  "prof stat --vs './old -n 5' -- ./new -n 5");
    return std::move(words_);
  }

 private:
  Status Next() {
    const char character = text_[at_++];
    if (kBlanks.find(character) != std::string_view::npos) {
      EndWord();
      return {};
    }
    in_word_ = true;
    if (character == '\'') return SingleQuotes();
    if (character == '"') return DoubleQuotes();
    if (character == '\\') return Backslash();
    if (kOperators.find(character) != std::string_view::npos || Expands(character))
      return std::unexpected(NeedsShell(what_, character, text_));
    word_ += character;
    return {};
  }

  // $name, ${...}, $(...), `...`; a $ before anything else is plain.
  [[nodiscard]] bool Expands(char character) const {
    if (character == '`') return true;
    if (character != '$' || at_ == text_.size()) return false;
    const char next = text_[at_];
    return next == '{' || next == '(' || next == '_' || (next >= 'a' && next <= 'z') ||
           (next >= 'A' && next <= 'Z') || (next >= '0' && next <= '9');
  }

  Status SingleQuotes() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return Unclosed('\'');
    word_ += text_.substr(at_, end - at_);
    at_ = end + 1;
    return {};
  }

  Status DoubleQuotes() {
    while (at_ < text_.size()) {
      const char character = text_[at_++];
      if (character == '"') return {};
      if (Expands(character)) return std::unexpected(NeedsShell(what_, character, text_));
      if (character == '\\' && at_ < text_.size() &&
          std::string_view("\"\\$`\n").find(text_[at_]) != std::string_view::npos) {
        if (text_[at_] != '\n') word_ += text_[at_];
        ++at_;
      } else {
        word_ += character;
      }
    }
    return Unclosed('"');
  }

  Status Backslash() {
    if (at_ == text_.size()) {
      return Fail(ErrorKind::kUsage,
                  std::string(what_) + ": a backslash at the end of \"" + std::string(text_) + '"',
                  "\\\\ is a backslash");
    }
    if (text_[at_] != '\n') word_ += text_[at_];
    ++at_;
    return {};
  }

  Status Unclosed(char quote) {
    return Fail(ErrorKind::kUsage,
                std::string(what_) + ": a quote (" + quote + ") is not closed in \"" +
                    std::string(text_) + '"',
                std::string("\\") + quote + " is a plain " + quote);
  }

  void EndWord() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

std::string Quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

enum class Found : std::uint8_t { kYes, kNo, kNotExecutable };

Found Look(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Found::kNo;
  if (!S_ISREG(status.st_mode) || ::access(path.c_str(), X_OK) != 0) return Found::kNotExecutable;
  return Found::kYes;
}

// As execvp(3) looks for it.
Found Find(const std::string& name, std::string_view path) {
  if (name.empty()) return Found::kNo;
  if (name.find('/') != std::string::npos) return Look(name);
  Found best = Found::kNo;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder(path.substr(begin, end - begin));
    const Found found = Look(folder.empty() ? "./" + name : folder + '/' + name);
    if (found == Found::kYes) return found;
    if (found == Found::kNotExecutable) best = found;
    begin = end + 1;
  }
  return best;
}

}  // namespace

Result<std::vector<std::string>> SplitWords(std::string_view text, std::string_view what) {
  return Splitter(text, what).Split();
}

std::string JoinWords(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + Quoted(word);
  return line;
}

Result<std::vector<model::SideDef>> MakeSides(const std::vector<std::string>& command,
                                              const std::vector<std::string>& alternatives,
                                              bool shell) {
  std::vector<model::SideDef> sides;
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  const auto in_shell = [](const std::string& text) {
    return std::vector<std::string>{"sh", "-c", text};
  };
  const bool shell_line = shell && !command.empty();
  sides.push_back({.id = 0,
                   .command = shell_line ? in_shell(line) : command,
                   .text = shell_line ? line : JoinWords(command)});
  for (const std::string& text : alternatives) {
    model::SideDef side{
        .id = static_cast<std::uint32_t>(sides.size()), .command = in_shell(text), .text = text};
    if (!shell) {
      PROF_TRY_ASSIGN(side.command, SplitWords(text, "--vs"));
    } else if (text.find_first_not_of(kBlanks) == std::string::npos) {
      return Fail(ErrorKind::kUsage, "--vs: the command is empty",
                  "prof stat --shell --vs 'old | wc' -- 'new | wc'");
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

Status CheckExecutables(const std::vector<model::SideDef>& sides, std::string_view path) {
  for (const model::SideDef& side : sides) {
    if (side.command.empty()) continue;
    const std::string& name = side.command.front();
    const std::string shown = (side.id == 0 ? "" : "--vs: ") + (name.empty() ? "''" : name);
    switch (Find(name, path)) {
      case Found::kYes:
        break;
      case Found::kNo:
        return Fail(ErrorKind::kNotFound, shown + ": command not found",
                    "nothing was measured; check the name and PATH (--shell runs builtins)");
      case Found::kNotExecutable:
        return Fail(ErrorKind::kPermission, shown + ": not executable",
                    "nothing was measured; see what it is and who may run it: ls -l " + name);
    }
  }
  return {};
}

}  // namespace prof::tools
