// Draws which callers a row's change came by.
#include <algorithm>
#include <cmath>
#include <utility>

#include "report/call_graph_text.h"
#include "report/diff_table.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::diff::CallerChange;

constexpr std::size_t kMargin = 12;  // of perf's graphs
constexpr std::size_t kStep = 10;
constexpr std::size_t kLeastName = 12;  // what a terminal leaves of a name
// As deep as branches nest; deeper callers are a line that says so. A chain without branches is not
// deep, however long.
constexpr std::size_t kDeepest = 100;

class CallerPainter {
 public:
  CallerPainter(double row_change, const AmountScale& scale, const DiffTextOptions& options)
      : least_(std::abs(row_change) * options.min_percent / 100),
        scale_(scale),
        options_(options) {}

  std::string Draw(const std::vector<CallerChange>& callers, double row_change) {
    DrawLevel(callers, row_change, std::string(kMargin, ' '), 0);
    if (!text_.empty()) text_ += '\n';
    return std::move(text_);
  }

 private:
  void Line(const std::string& prefix, const std::string& text) {
    std::string line = prefix + text;
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  [[nodiscard]] std::string Name(const CallerChange& caller, std::size_t used) const {
    std::string name = Printable(caller.name) + (caller.inlined ? " (inlined)" : "");
    if (options_.width == 0) return name;
    const auto width = static_cast<std::size_t>(options_.width);
    return FitName(name, std::max(kLeastName, width > used ? width - used : 0));
  }

  [[nodiscard]] bool IsShown(const CallerChange& caller) const {
    return std::abs(caller.change.Delta()) >= least_;
  }

  // A chain goes on in one line of ancestry while all of the change came from one caller.
  [[nodiscard]] const CallerChange* Continuation(const CallerChange& caller) const {
    if (caller.callers.size() != 1) return nullptr;
    const CallerChange& only = caller.callers.front();
    const bool all = scale_.Digits(only.change.before) == scale_.Digits(caller.change.before) &&
                     scale_.Digits(only.change.after) == scale_.Digits(caller.change.after);
    return all && IsShown(only) ? &only : nullptr;
  }

  [[nodiscard]] std::string Value(double change) const {
    return scale_.SignedText(scale_.Digits(change));
  }

  void DrawLevel(const std::vector<CallerChange>& callers, double whole, const std::string& prefix,
                 std::size_t depth) {
    std::vector<const CallerChange*> shown;
    double rest = whole;
    for (const CallerChange& caller : callers) {
      if (!IsShown(caller)) continue;
      shown.push_back(&caller);
      rest -= caller.change.Delta();
    }
    const bool has_rest = !shown.empty() && scale_.Digits(rest) != 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      Line(prefix, "|");
      DrawCaller(*shown[i], prefix + (i + 1 < shown.size() || has_rest ? "|" : " "), depth);
    }
    if (has_rest) Line(prefix, " --" + Value(rest) + "--[...]");
  }

  void DrawCaller(const CallerChange& caller, const std::string& prefix, std::size_t depth) {
    const std::string value = Value(caller.change.Delta());
    const char* color = options_.color ? ChangeColor(caller.change) : nullptr;
    Line(prefix, "--" + (color == nullptr ? value : color + value + kColorEnd) + "--" +
                     Name(caller, prefix.size() + value.size() + 4));
    const std::string below = prefix + std::string(kStep, ' ');
    const CallerChange* last = &caller;
    while (const CallerChange* next = Continuation(*last)) {
      last = next;
      Line(below, Name(*last, below.size()));
    }
    if (last->callers.empty()) return;
    if (depth + 1 < kDeepest) {
      DrawLevel(last->callers, last->change.Delta(), below, depth + 1);
    } else {
      Line(below, "[deeper callers: --json has them]");
    }
  }

  double least_;
  const AmountScale& scale_;
  const DiffTextOptions& options_;
  std::string text_;
};

}  // namespace

std::string RenderCallerChanges(const std::vector<CallerChange>& callers, double row_change,
                                const AmountScale& scale, const DiffTextOptions& options) {
  return CallerPainter(row_change, scale, options).Draw(callers, row_change);
}

}  // namespace prof::report
