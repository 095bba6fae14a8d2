// Pairs the files of both sides, then their lines.
#include "analysis/annotate/source_alignment.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/annotate/sequence_diff.h"

namespace prof::analysis {
namespace {

// Line numbers of both sides, ascending in both.
using LinePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct KnownText {
  std::vector<std::uint32_t> numbers;
  std::vector<std::string_view> lines;
};

KnownText TextOf(const AnnotatedSource& source) {
  KnownText text;
  for (const model::SourceLines& piece : source.text) {
    std::uint32_t number = piece.first_line;
    for (const std::string& line : piece.text) {
      text.numbers.push_back(number++);
      text.lines.push_back(line);
    }
  }
  return text;
}

// How many folders and names from the end are the same.
std::size_t CommonTail(std::string_view a, std::string_view b) {
  std::size_t parts = 0;
  for (;;) {
    const std::size_t in_a = a.rfind('/');
    const std::size_t in_b = b.rfind('/');
    const auto part = [](std::string_view path, std::size_t slash) {
      return slash == std::string_view::npos ? path : path.substr(slash + 1);
    };
    if (part(a, in_a) != part(b, in_b)) return parts;
    ++parts;
    if (in_a == std::string_view::npos || in_b == std::string_view::npos) return parts;
    a = a.substr(0, in_a);
    b = b.substr(0, in_b);
  }
}

// Two versions of one file.
class FileAlignment {
 public:
  FileAlignment(const AnnotatedSource& before, const AnnotatedSource& after)
      : before_(before), after_(after) {
    if (ByNumber()) return;
    const KnownText a = TextOf(before);
    const KnownText b = TextOf(after);
    for (const auto& [i, j] : CommonLines(a.lines, b.lines)) {
      pairs_.emplace_back(a.numbers[i], b.numbers[j]);
    }
  }

  [[nodiscard]] bool ByNumber() const { return before_.text.empty() || after_.text.empty(); }

  // The line after that a line before became; 0: it is gone.
  [[nodiscard]] std::uint32_t After(std::uint32_t line) const {
    if (ByNumber()) return line;
    const auto next = std::ranges::lower_bound(pairs_, line, {}, &LinePairs::value_type::first);
    if (next != pairs_.end() && next->first == line) return next->second;
    if (before_.Line(line) != nullptr) return 0;
    // Without its text, it is taken to have moved with the pair above.
    const std::int64_t moved = next == pairs_.begin() ? 0
                                                      : std::int64_t{std::prev(next)->second} -
                                                            std::int64_t{std::prev(next)->first};
    const std::int64_t guess = line + moved;
    const bool free = guess > 0 && (next == pairs_.end() || guess < next->second);
    if (!free || after_.Line(static_cast<std::uint32_t>(guess)) != nullptr) return 0;
    return static_cast<std::uint32_t>(guess);
  }

  // The line before that became a line after; 0: it is new.
  [[nodiscard]] std::uint32_t Before(std::uint32_t line) const {
    if (ByNumber()) return line;
    const auto found = std::ranges::lower_bound(pairs_, line, {}, &LinePairs::value_type::second);
    return found != pairs_.end() && found->second == line ? found->first : 0;
  }

  // Where a removed line stands among those after: behind this one.
  [[nodiscard]] std::uint32_t Place(std::uint32_t line) const {
    const auto next = std::ranges::lower_bound(pairs_, line, {}, &LinePairs::value_type::first);
    return next == pairs_.begin() ? 0 : std::prev(next)->second;
  }

 private:
  const AnnotatedSource& before_;
  const AnnotatedSource& after_;
  LinePairs pairs_;
};

class Aligner {
 public:
  Aligner(const AnnotatedFunction& before, const AnnotatedFunction& after)
      : before_(before), after_(after), partner_(before.sources.size(), model::kNoFile) {}

  AlignedSources Run() {
    PairFiles();
    // Files in the order of the lines after, then those that only the side before has.
    std::vector<std::uint32_t> order;
    const auto add = [&](std::uint32_t file) {
      if (std::ranges::find(order, file) == order.end()) order.push_back(file);
    };
    for (const AnnotatedLine& line : after_.lines) {
      if (line.file != model::kNoFile) add(line.file);
    }
    for (const AnnotatedLine& line : before_.lines) {
      if (line.file != model::kNoFile && partner_[line.file] != model::kNoFile) {
        add(partner_[line.file]);
      }
    }
    for (const std::uint32_t file : order) AddFile(BeforeOf(file), file);
    std::vector<bool> gone(before_.sources.size());
    for (const AnnotatedLine& line : before_.lines) {
      if (line.file == model::kNoFile || partner_[line.file] != model::kNoFile) continue;
      if (!gone[line.file]) AddFile(line.file, model::kNoFile);
      gone[line.file] = true;
    }
    AddUnknown();
    return std::move(result_);
  }

 private:
  // The same path, else the one with the longest common end.
  void PairFiles() {
    std::vector<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> candidates;
    for (std::uint32_t i = 0; i < before_.sources.size(); ++i) {
      for (std::uint32_t j = 0; j < after_.sources.size(); ++j) {
        const bool same = before_.sources[i].path == after_.sources[j].path;
        const std::size_t common =
            same ? ~std::size_t{0} : CommonTail(before_.sources[i].path, after_.sources[j].path);
        if (common > 0) candidates.emplace_back(~common, i, j);
      }
    }
    std::ranges::sort(candidates);
    std::vector<bool> taken(after_.sources.size());
    for (const auto& [rank, i, j] : candidates) {
      if (partner_[i] != model::kNoFile || taken[j]) continue;
      partner_[i] = j;
      taken[j] = true;
    }
  }

  std::uint32_t BeforeOf(std::uint32_t after) const {
    const auto found = std::ranges::find(partner_, after);
    return found == partner_.end() ? model::kNoFile
                                   : static_cast<std::uint32_t>(found - partner_.begin());
  }

  // Either may be kNoFile: the other side does not have the file.
  void AddFile(std::uint32_t before, std::uint32_t after) {
    static const AnnotatedSource kNone;
    const AnnotatedSource& old_text = before == model::kNoFile ? kNone : before_.sources[before];
    const AnnotatedSource& new_text = after == model::kNoFile ? kNone : after_.sources[after];
    const FileAlignment files(old_text, new_text);
    const bool both = before != model::kNoFile && after != model::kNoFile;
    if (both && files.ByNumber()) result_.by_number = true;
    // Place after, whether removed, line before.
    std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, ComparedLine> rows;
    for (std::uint32_t i = 0; i < after_.lines.size(); ++i) {
      const AnnotatedLine& line = after_.lines[i];
      if (after == model::kNoFile || line.file != after) continue;
      ComparedLine& row = rows[{line.line, false, 0}];
      row.after = i;
      row.after_line = line.line;
      row.before_line = both ? files.Before(line.line) : 0;
    }
    for (std::uint32_t i = 0; i < before_.lines.size(); ++i) {
      const AnnotatedLine& line = before_.lines[i];
      if (before == model::kNoFile || line.file != before) continue;
      const std::uint32_t now = both ? files.After(line.line) : 0;
      ComparedLine& row =
          now != 0 ? rows[{now, false, 0}] : rows[{files.Place(line.line), true, line.line}];
      row.before = i;
      row.before_line = line.line;
      row.after_line = now;
    }
    for (auto& [place, row] : rows) {
      row.file = after == model::kNoFile ? old_text.path : new_text.path;
      const std::string* text =
          row.after_line != 0 ? new_text.Line(row.after_line) : old_text.Line(row.before_line);
      if (text == nullptr) text = old_text.Line(row.before_line);
      if (text != nullptr) row.text = *text;
      result_.lines.push_back(std::move(row));
    }
  }

  void AddUnknown() {
    ComparedLine row;
    const auto find = [](const AnnotatedFunction& function, std::optional<std::uint32_t>& index) {
      const auto found = std::ranges::find(function.lines, model::kNoFile, &AnnotatedLine::file);
      if (found == function.lines.end()) return;
      index = static_cast<std::uint32_t>(found - function.lines.begin());
    };
    find(before_, row.before);
    find(after_, row.after);
    if (row.before || row.after) result_.lines.push_back(std::move(row));
  }

  const AnnotatedFunction& before_;
  const AnnotatedFunction& after_;
  std::vector<std::uint32_t> partner_;  // by file before: the file after
  AlignedSources result_;
};

}  // namespace

AlignedSources AlignSources(const AnnotatedFunction& before, const AnnotatedFunction& after) {
  return Aligner(before, after).Run();
}

}  // namespace prof::analysis
