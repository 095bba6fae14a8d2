// Prints a function of two recordings side by side: source lines, and the instructions of copies
// whose code did not change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "report/annotate_code.h"
#include "report/annotate_head.h"
#include "report/annotate_places.h"
#include "report/annotate_shares.h"
#include "report/head_text.h"
#include "report/jump_lanes.h"
#include "report/stat_numbers.h"
#include "report/table_text.h"
#include "report/text_fit.h"

#include "prof/report/annotate_text.h"
#include "prof/report/text_report.h"

namespace prof::report {
namespace {

using analysis::AnnotateComparison;
using analysis::AnnotatedFunction;
using analysis::AnnotatedInstruction;
using analysis::CodeCopy;
using analysis::ComparedLine;

constexpr std::size_t kLeastText = 12;
constexpr double kColoredPoints = 0.5;  // as many as a share needs for a colour

// One event that both sides have.
struct EventPair {
  std::size_t before = 0;
  std::size_t after = 0;
};

std::vector<EventPair> MatchEvents(const AnnotateComparison& comparison) {
  std::vector<EventPair> pairs;
  const auto& after = comparison.after.events;
  for (std::size_t i = 0; i < comparison.before.events.size(); ++i) {
    const auto same =
        std::ranges::find(after, comparison.before.events[i].desc.name,
                          [](const analysis::AnnotatedEvent& event) { return event.desc.name; });
    if (same != after.end()) pairs.push_back({i, static_cast<std::size_t>(same - after.begin())});
  }
  return pairs;
}

class ComparisonPainter {
 public:
  ComparisonPainter(const AnnotateComparison& comparison, const AnnotateTextOptions& options,
                    EventPair event)
      : comparison_(comparison),
        options_(options),
        event_(event),
        before_(ShareColumns::Of(comparison.before, comparison.before.self, options)),
        after_(ShareColumns::Of(comparison.after, comparison.after.self, options)) {
    const int width = std::max(before_.NumberWidth(event.before), after_.NumberWidth(event.after));
    widths_ = {width, width, std::max(width, 7)};
  }

  std::string Lines() {
    if (comparison_.lines.empty()) return {};
    FitColumns();
    if (!options_.quiet)
      text_ += RenderHeadings({"Before", "After", "Diff", "Was", "Line", "Source"}, widths_, "");
    const std::vector<bool> visible = VisibleLines();
    const std::string* file = nullptr;
    bool left_out = false;
    for (std::size_t i = 0; i < visible.size(); ++i) {
      const ComparedLine& line = comparison_.lines[i];
      if (!visible[i]) {
        left_out = true;
        continue;
      }
      const bool other_file = file == nullptr || *file != line.file;
      if (other_file && !line.file.empty()) {
        const std::string path = options_.full_paths ? line.file : Name(line.file);
        Row({}, {}, {{}, {}, {"  " + Printable(path)}});
      } else if (left_out && !other_file) {
        Row({}, {}, {{}, {"..."}, {}});
      }
      file = &line.file;
      left_out = false;
      DrawLine(line);
    }
    return std::move(text_);
  }

  // Instructions of a copy whose code both sides share.
  std::string Instructions(const CodeCopy& before, const CodeCopy& after) {
    if (!options_.quiet) {
      text_ += Comment(InstructionsTitle(before, after), options_.width) + "#\n";
      text_ += PaddedTitles({"Before", "After", "Diff"}, widths_) + " │ instructions\n#\n";
    }
    const JumpLanes lanes = CopyLanes(after, options_.width);
    std::size_t address_columns = 0;
    for (const AnnotatedInstruction& one : after.instructions) {
      address_columns =
          std::max(address_columns, fmt::formatted_size("{:x}", one.code.address.value));
    }
    std::size_t used = 3;
    for (const int width : widths_) used += 2 + static_cast<std::size_t>(width);
    const auto all = static_cast<std::size_t>(options_.width);
    for (std::uint32_t i = 0; i < std::min(before.instructions.size(), after.instructions.size());
         ++i) {
      const AnnotatedInstruction& one = after.instructions[i];
      std::string content = lanes.At(i);
      if (!content.empty()) content += ' ';
      content += PadLeft(fmt::format("{:x}", one.code.address.value), address_columns) + ":  ";
      const std::size_t taken = used + DisplayWidth(content);
      content +=
          InstructionText(one, all == 0 ? 0 : std::max(kLeastText, all - std::min(all, taken)));
      if (all > 0) content = CutText(content, all - std::min(all, used));
      text_ += PaddedCells(Numbers(before.instructions[i].self, one.self), widths_);
      text_ += " │ " + content + '\n';
    }
    return std::move(text_);
  }

 private:
  static std::string Name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  }

  // Widths of the number columns, of the line numbers and of the text.
  void FitColumns() {
    std::size_t number = DisplayWidth("Line");
    for (const ComparedLine& line : comparison_.lines) {
      number = std::max(number, std::to_string(std::max(line.before_line, line.after_line)).size());
    }
    const auto columns = static_cast<int>(number);
    widths_.insert(widths_.end(), {columns, columns, -6});
    std::size_t used = 0;
    for (const int width : widths_) used += 2 + static_cast<std::size_t>(std::abs(width));
    used -= 6;
    const auto width = static_cast<std::size_t>(options_.width);
    room_ = width == 0 ? 0 : std::max(kLeastText, width - std::min(width, used));
  }

  [[nodiscard]] const analysis::Amounts& SelfBefore(const ComparedLine& line) const {
    static const analysis::Amounts kNothing;
    const auto& lines = comparison_.before.lines;
    return line.before && *line.before < lines.size() ? lines[*line.before].self : kNothing;
  }
  [[nodiscard]] const analysis::Amounts& SelfAfter(const ComparedLine& line) const {
    static const analysis::Amounts kNothing;
    const auto& lines = comparison_.after.lines;
    return line.after && *line.after < lines.size() ? lines[*line.after].self : kNothing;
  }

  // Lines with samples on a side, and the lines around them in the same file.
  [[nodiscard]] std::vector<bool> VisibleLines() const {
    const std::vector<ComparedLine>& lines = comparison_.lines;
    std::vector<bool> visible(lines.size(), false);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!HasSamples(SelfBefore(lines[i])) && !HasSamples(SelfAfter(lines[i]))) continue;
      const std::size_t context = options_.context;
      for (std::size_t at = i - std::min(i, context); at < lines.size() && at <= i + context; ++at)
        visible[at] = visible[at] || lines[at].file == lines[i].file;
    }
    return visible;
  }

  void DrawLine(const ComparedLine& line) {
    const auto number = [](std::uint32_t of) { return of == 0 ? "" : std::to_string(of); };
    std::string mark = "  ";  // as diff marks lines that one side has
    if (line.after_line == 0 && line.before_line != 0) mark = "- ";
    if (line.before_line == 0 && line.after_line != 0) mark = "+ ";
    const bool moved = line.before_line != line.after_line;
    std::string source = Printable(ExpandTabs(line.text));
    if (line.before_line == 0 && line.after_line == 0) source = "(no line known)";
    Row(SelfBefore(line), SelfAfter(line),
        {{moved ? number(line.before_line) : ""},
         {number(line.after_line)},
         {mark + (room_ == 0 ? source : FitSource(source, room_ - 2))}});
  }

  void Row(const analysis::Amounts& before, const analysis::Amounts& after,
           std::vector<Cell> behind) {
    std::vector<Cell> cells = Numbers(before, after);
    std::ranges::move(behind, std::back_inserter(cells));
    if (room_ > 0) cells.back().text = CutText(cells.back().text, room_);
    text_ += JoinCells(cells, widths_, "");
  }

  [[nodiscard]] std::vector<Cell> Numbers(const analysis::Amounts& before,
                                          const analysis::Amounts& after) const {
    std::vector<Cell> cells = {before_.At(before, event_.before), after_.At(after, event_.after)};
    if (cells[0].text.empty() && cells[1].text.empty()) {
      cells.push_back({});
      return cells;
    }
    const double points =
        after_.Percent(after, event_.after) - before_.Percent(before, event_.before);
    Cell difference{Difference(before, after, points)};
    if (options_.color && std::abs(points) >= kColoredPoints)
      difference.color = points > 0 ? "\033[31m" : "\033[32m";
    cells.push_back(std::move(difference));
    return cells;
  }

  // Of the numbers that are shown: points of percent, or counts.
  [[nodiscard]] std::string Difference(const analysis::Amounts& before,
                                       const analysis::Amounts& after, double points) const {
    const analysis::Amount left = AmountAt(before, event_.before);
    const analysis::Amount right = AmountAt(after, event_.after);
    if (!options_.show_samples && !options_.show_total_period)
      return fmt::format("{:+.2f}", points);
    const std::uint64_t from = options_.show_total_period ? left.weight : left.samples;
    const std::uint64_t to = options_.show_total_period ? right.weight : right.samples;
    return to < from ? fmt::format("-{}", from - to) : fmt::format("+{}", to - from);
  }

  [[nodiscard]] std::string InstructionsTitle(const CodeCopy& before, const CodeCopy& after) const {
    std::string where = fmt::format("from {:x}", after.start.value);
    if (before.start != after.start) where += fmt::format(", before from {:x}", before.start.value);
    std::string name = CopyName(after);
    const std::string behind =
        fmt::format(": the same {} bytes, {}", GroupDigits(std::to_string(after.size)), where);
    if (options_.width > 0) {
      const auto width = static_cast<std::size_t>(options_.width);
      name = FitName(name, std::max(kLeastText, width - std::min(width, behind.size() + 4)));
    }
    return name + behind;
  }

  const AnnotateComparison& comparison_;
  const AnnotateTextOptions& options_;
  EventPair event_;
  ShareColumns before_;
  ShareColumns after_;
  std::vector<int> widths_;
  std::size_t room_ = 0;  // columns of the source text; 0: no limit
  std::string text_;
};

std::string RenderSideHead(const AnnotatedFunction& function, const FileFacts& file,
                           const std::string& side, const AnnotateTextOptions& options) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += Comment(Printable(side + ": " + line), options.width);
  };
  for (std::size_t i = 0; i < function.events.size(); ++i)
    add((i == 0 ? file.name + ", " : "") + EventSentence(function, i, options.unit));
  for (const std::string& line : FileLines(file)) add(line);
  for (const analysis::AnnotatedSource& source : function.sources) {
    if (!source.warning.empty()) add("source " + source.path + ": " + source.warning);
  }
  for (const std::string& note : function.notes) add(note);
  return text;
}

}  // namespace

std::string RenderComparison(const AnnotateComparison& comparison, const FileFacts& before,
                             const FileFacts& after, const AnnotateTextOptions& options) {
  AnnotateTextOptions fitted = options;
  if (fitted.width > 0) fitted.width = std::max(fitted.width, kMinWidth);
  // Both columns are of self, so that is what shares are of, with or without instructions.
  if (fitted.view == AnnotateView::kSourceOnly) fitted.view = AnnotateView::kMixed;
  std::string text;
  if (!fitted.quiet) {
    text += FunctionTitle(comparison.after, fitted.width);
    text += RenderSideHead(comparison.before, before, "before", fitted);
    text += RenderSideHead(comparison.after, after, "after", fitted);
    for (const std::string& line : SkidSentences(comparison.after.events))
      text += Comment(Printable(line), fitted.width);
    if (!fitted.show_samples && !fitted.show_total_period)
      text += Comment(BaseSentence(fitted), fitted.width);
    for (const std::string& note : comparison.notes)
      text += Comment("note: " + Printable(note), fitted.width);
    text += "#\n";
  }
  const std::vector<EventPair> events = MatchEvents(comparison);
  const bool lines = options.view != AnnotateView::kAsmOnly || comparison.identical.empty();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) text += '\n';
    if (events.size() > 1 && !fitted.quiet) {
      text += Comment(Printable(comparison.after.events[events[i].after].desc.name), fitted.width);
      text += "#\n";
    }
    if (lines) text += ComparisonPainter(comparison, fitted, events[i]).Lines();
    if (options.view == AnnotateView::kSourceOnly) continue;
    for (const analysis::ComparedCopy& pair : comparison.identical) {
      if (pair.before >= comparison.before.copies.size() ||
          pair.after >= comparison.after.copies.size())
        continue;
      if (text.size() > 2 && !text.ends_with("#\n")) text += '\n';
      text += ComparisonPainter(comparison, fitted, events[i])
                  .Instructions(comparison.before.copies[pair.before],
                                comparison.after.copies[pair.after]);
    }
  }
  return text;
}

}  // namespace prof::report
