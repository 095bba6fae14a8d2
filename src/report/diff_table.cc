// Lays out the table of one event of a diff.
#include "report/diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report/call_graph_text.h"
#include "report/diff_verdict.h"
#include "report/key_names.h"
#include "report/number_text.h"
#include "report/stat_numbers.h"
#include "report/table_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::SortKey;
using analysis::diff::Change;
using analysis::diff::ChangeTest;
using analysis::diff::DiffRow;
using analysis::diff::EventDiff;
using analysis::diff::Presence;
using analysis::diff::ProfileDiff;

constexpr int kSymbolFloor = 24;  // other texts shrink before Symbol gets narrower than this
constexpr int kRoomForSelf = 100;
constexpr std::size_t kLeastSum = 20;  // columns that remain of a sentence behind sums

// Shorter than perf's: the numbers leave little room.
const char* Title(SortKey key) {
  if (key == SortKey::kDso) return "Module";
  return key == SortKey::kSym ? "Function" : KeyTitle(key);
}

class DiffTable {
 public:
  DiffTable(const ProfileDiff& diff, const EventDiff& event, const PrintedDiff& printed,
            const DiffTextOptions& options)
      : diff_(diff), event_(event), printed_(printed), options_(options) {}

  std::string Render() {
    MakeLines();
    std::vector<std::string> titles = Titles();
    Fit(titles);
    std::string text = options_.quiet ? "" : RenderHeadings(titles, widths_, options_.separator);
    for (std::size_t i = 0; i < lines_.size(); ++i) text += LineText(i);
    return text;
  }

 private:
  struct Line {
    std::vector<Cell> cells;   // numbers, then keys unless there is a sentence
    std::string sentence;      // instead of keys; from the interval's column on if that is empty
    std::string mark;          // behind the symbol: what must not be cut
    std::size_t row = kNoRow;  // of EventDiff::rows
  };
  static constexpr std::size_t kNoRow = ~std::size_t{0};

  [[nodiscard]] bool bare() const { return !options_.separator.empty(); }
  // Beside inclusive changes those of self, unless names need the room.
  [[nodiscard]] bool with_self() const {
    return options_.children && (options_.width == 0 || options_.width >= kRoomForSelf);
  }

  [[nodiscard]] std::vector<std::string> Titles() const {
    std::vector<std::string> titles = {"before", "after", "change"};
    if (options_.percent) titles.insert(titles.end(), {"before %", "after %"});
    if (options_.samples) titles.insert(titles.end(), {"samples", "samples"});
    if (with_self()) titles.emplace_back("of self");
    if (bare()) {
      titles.insert(titles.end(), {"95 % low", "95 % high"});
    } else {
      titles.emplace_back("95 % interval");
    }
    titles.emplace_back("adj. p");
    for (const SortKey key : diff_.keys) titles.emplace_back(Title(key));
    return titles;
  }

  [[nodiscard]] std::string Signed(std::int64_t digits) const {
    return printed_.scale.SignedText(digits, !bare());
  }

  [[nodiscard]] std::string ShareOf(double part, double whole) const {
    return fmt::format("{:.2f}{}", 100 * Share(part, whole), bare() ? "" : "%");
  }

  void AddNumbers(Line& line, const PrintedAmounts& amounts, double before, double after) const {
    line.cells.push_back({printed_.scale.Text(amounts.before, !bare())});
    line.cells.push_back({printed_.scale.Text(amounts.after, !bare())});
    line.cells.push_back({Signed(amounts.change())});
    if (!options_.percent) return;
    line.cells.push_back(
        {ShareOf(before, options_.relative_percentage ? event_.before.mean : event_.before.whole)});
    line.cells.push_back(
        {ShareOf(after, options_.relative_percentage ? event_.after.mean : event_.after.whole)});
  }

  void AddSamples(Line& line, std::uint64_t before, std::uint64_t after) const {
    if (!options_.samples) return;
    for (const std::uint64_t samples : {before, after}) {
      const std::string text = std::to_string(samples);
      line.cells.push_back({bare() ? text : GroupDigits(text)});
    }
  }

  void AddTest(Line& line, const ChangeTest* test, bool adjusted) const {
    const auto end = [&](double value) {
      return std::isfinite(value) ? Signed(printed_.scale.Digits(value)) : std::string(kNoNumber);
    };
    const std::string low = test == nullptr ? kNoNumber : end(test->interval.low);
    const std::string high = test == nullptr ? kNoNumber : end(test->interval.high);
    if (bare()) {
      line.cells.insert(line.cells.end(), {{low}, {high}});
    } else {
      line.cells.push_back({test == nullptr ? low : low + " to " + high});
    }
    line.cells.push_back(
        {test == nullptr ? kNoNumber : DiffProbability(adjusted ? test->adjusted_p : test->p)});
  }

  // Of a line that was not tested as a whole.
  void AddNoTest(Line& line) const { line.cells.insert(line.cells.end(), bare() ? 3 : 2, Cell{}); }

  void MakeLines() {
    for (std::size_t i = 0; i < printed_.rows.size(); ++i)
      AddRow(printed_.rows[i], printed_.amounts[i]);
    AddSum(printed_.folded,
           CountedRows(diff_.keys, printed_.folded.rows) + " without a significant change");
    AddSum(printed_.scarce,
           CountedRows(diff_.keys, printed_.scarce.rows) + " with too few samples");
    AddTotal();
  }

  void AddRow(std::size_t index, const PrintedAmounts& amounts) {
    const DiffRow& row = event_.rows[index];
    const Change& change = ChangeOf(row, options_.children);
    Line line;
    line.row = index;
    AddNumbers(line, amounts, change.before, change.after);
    if (options_.color) line.cells[2].color = ChangeColor(change);
    AddSamples(line, change.before_samples, change.after_samples);
    if (with_self()) line.cells.push_back({Signed(printed_.scale.Digits(row.self.Delta()))});
    AddTest(line, change.test ? &*change.test : nullptr, true);
    if (row.presence == Presence::kAppeared) line.mark = " (appeared)";
    if (row.presence == Presence::kGone) line.mark = " (gone)";
    if (!row.was.empty()) line.mark = " (was " + Printable(row.was) + ')';
    for (std::size_t i = 0; i < diff_.keys.size(); ++i) {
      std::string key = i < row.keys.size() ? Printable(row.keys[i]) : "";
      if (diff_.keys[i] == SortKey::kSym) key = fmt::format("[{}] {}", row.level, key);
      line.cells.push_back({std::move(key)});
    }
    lines_.push_back(std::move(line));
  }

  void AddSum(const PrintedSum& sum, std::string sentence) {
    if (sum.rows == 0) return;
    Line line;
    if (options_.children) {
      // Inclusive amounts of several rows are no sum.
      line.cells.assign(cells_before_test(), Cell{});
    } else {
      AddNumbers(line, sum.amounts, sum.before, sum.after);
      AddSamples(line, sum.before_samples, sum.after_samples);
    }
    AddNoTest(line);
    line.sentence = std::move(sentence);
    lines_.push_back(std::move(line));
  }

  [[nodiscard]] std::size_t cells_before_test() const {
    return 3U + (options_.percent ? 2U : 0U) + (options_.samples ? 2U : 0U) +
           (with_self() ? 1U : 0U);
  }

  void AddTotal() {
    const Change& total = event_.total.change;
    Line line;
    AddNumbers(line, printed_.total, total.before, total.after);
    if (options_.color) line.cells[2].color = ChangeColor(total);
    AddSamples(line, event_.before.samples, event_.after.samples);
    if (with_self()) line.cells.push_back({});
    if (total.test) {
      AddTest(line, &*total.test, false);
    } else {
      AddNoTest(line);
    }
    line.sentence = "total";
    lines_.push_back(std::move(line));
  }

  // Widths of all columns; numbers as they come, texts as they fit.
  void Fit(const std::vector<std::string>& titles) {
    const std::size_t numbers = titles.size() - diff_.keys.size();
    for (std::size_t i = 0; i < titles.size(); ++i) {
      std::size_t width = DisplayWidth(titles[i]);
      for (const Line& line : lines_) {
        if (i < line.cells.size())
          width = std::max(width, DisplayWidth(line.cells[i].text) +
                                      (i + 1 == titles.size() ? DisplayWidth(line.mark) : 0));
      }
      widths_.push_back(i < numbers ? static_cast<int>(width) : -static_cast<int>(width));
    }
    if (bare()) return;
    if (options_.width == 0) {
      for (int& width : widths_) width = std::max(width, -kWidestColumn);
      return;
    }
    std::vector<bool> symbols(numbers, false);
    for (const SortKey key : diff_.keys) symbols.push_back(key == SortKey::kSym);
    ShrinkColumns(widths_, symbols, kSymbolFloor, options_.width);
  }

  [[nodiscard]] std::string LineText(std::size_t index) {
    Line& line = lines_[index];
    if (!line.sentence.empty()) return SentenceText(line);
    const std::size_t numbers = line.cells.size() - diff_.keys.size();
    for (std::size_t i = numbers; i < line.cells.size(); ++i) FitKey(line, i);
    std::string text = JoinCells(line.cells, widths_, options_.separator);
    if (options_.callers && !bare() && line.row < event_.callers.size()) {
      text += RenderCallerChanges(event_.callers[line.row], event_.rows[line.row].self.Delta(),
                                  printed_.scale, options_);
    }
    return text;
  }

  // A name makes room for the mark behind it, which goes behind the last key: "(gone)" is cut last,
  // and what it was called before only where it fits.
  void FitKey(Line& line, std::size_t column) const {
    std::string& text = line.cells[column].text;
    const bool last = column + 1 == line.cells.size();
    const std::string mark = last ? line.mark : "";
    if (bare() || options_.width == 0) {
      text += mark;
      return;
    }
    const auto room = static_cast<std::size_t>(std::abs(widths_[column]));
    const bool symbol = text.starts_with('[') && DisplayWidth(text) > 4 && text[2] == ']';
    const std::size_t level = symbol ? 4 : 0;
    if (DisplayWidth(text) + DisplayWidth(mark) <= room) {
      text += mark;
      return;
    }
    const bool keep = !mark.starts_with(" (was ") && room >= DisplayWidth(mark) + level + 4;
    const std::size_t left = room - level - (keep ? DisplayWidth(mark) : 0);
    if (DisplayWidth(text) > level + left)
      text = text.substr(0, level) + FitName(text.substr(level), left);
    if (keep) text += mark;
  }

  // Numbers, and the sentence from the first empty column on.
  [[nodiscard]] std::string SentenceText(const Line& line) const {
    if (bare()) {
      std::vector<Cell> cells = line.cells;
      cells.push_back({line.sentence});
      cells.resize(std::max(cells.size(), widths_.size()));
      return JoinCells(cells, widths_, options_.separator);
    }
    std::size_t used = line.cells.size();
    while (used > 0 && line.cells[used - 1].text.empty()) --used;
    if (options_.children && used == 0) used = cells_before_test();
    std::vector<Cell> cells(line.cells.begin(), line.cells.begin() + static_cast<long>(used));
    std::size_t columns = 2;
    for (std::size_t i = 0; i < used; ++i) columns += 2 + static_cast<std::size_t>(widths_[i]);
    std::string sentence = line.sentence;
    if (options_.width > 0) {
      const auto width = static_cast<std::size_t>(options_.width);
      sentence = CutText(sentence, std::max(kLeastSum, width - std::min(width, columns)));
    }
    std::vector<int> widths(widths_.begin(), widths_.begin() + static_cast<long>(used));
    cells.push_back({sentence});
    widths.push_back(-1);
    return JoinCells(cells, widths, "");
  }

  const ProfileDiff& diff_;
  const EventDiff& event_;
  const PrintedDiff& printed_;
  const DiffTextOptions& options_;
  std::vector<Line> lines_;
  std::vector<int> widths_;
};

}  // namespace

const char* ChangeColor(const Change& change) {
  if (!change.IsSignificant() || change.Delta() == 0) return nullptr;
  return change.Delta() > 0 ? "\033[31m" : "\033[32m";
}

std::string RenderDiffTable(const ProfileDiff& diff, const EventDiff& event,
                            const PrintedDiff& printed, const DiffTextOptions& options) {
  return DiffTable(diff, event, printed, options).Render();
}

}  // namespace prof::report
