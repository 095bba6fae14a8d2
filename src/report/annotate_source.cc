// Prints source lines with self and children.
#include "report/annotate_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/call_graph_text.h"
#include "report/stat_numbers.h"
#include "report/table_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::AnnotatedFunction;
using analysis::AnnotatedLine;

constexpr std::size_t kMostCallees = 5;  // shown under one line
constexpr std::size_t kLeastText = 4;    // what stays of a text where numbers fill the terminal

bool IsAnchor(const AnnotatedLine& line) {
  return HasSamples(line.self) || HasSamples(line.children);
}

class LinePainter {
 public:
  LinePainter(const AnnotatedFunction& function, const SourcePlaces& places,
              const ShareColumns& shares, const AnnotateTextOptions& options)
      : function_(function), places_(places), shares_(shares), options_(options) {
    for (std::size_t event = 0; event < shares.count(); ++event) {
      titles_.push_back(shares.Title(event, "Self"));
      titles_.emplace_back("Children");
      const int children = std::max(shares.NumberWidth(event), 8);
      widths_.insert(widths_.end(), {shares.Width(event), children});
    }
    std::size_t number = DisplayWidth("Line");
    for (const AnnotatedLine& line : function.lines) {
      number = std::max(number, std::to_string(std::uint64_t{line.line} + options.context).size());
    }
    titles_.insert(titles_.end(), {"Line", "Source"});
    widths_.insert(widths_.end(), {static_cast<int>(number), -6});
    std::size_t used = 2;
    for (const int width : widths_) used += 2 + static_cast<std::size_t>(std::abs(width));
    used -= 2 + 6;
    const auto width = static_cast<std::size_t>(options.width);
    room_ = width == 0 ? 0 : std::max(kLeastText, width - std::min(width, used));
  }

  std::string Draw() {
    if (!options_.quiet) text_ += RenderHeadings(titles_, widths_, "");
    const auto begin = function_.lines.begin();
    const auto end = function_.lines.end();
    for (auto from = begin; from != end;) {
      const auto to = std::find_if(
          from, end, [&](const AnnotatedLine& line) { return line.file != from->file; });
      DrawFile(from, to);
      from = to;
    }
    DrawTotal();
    return std::move(text_);
  }

 private:
  using Line = std::vector<AnnotatedLine>::const_iterator;

  void Row(const analysis::Amounts& self, const analysis::Amounts& children,
           const std::string& number, const std::string& source, bool marked = false) {
    std::vector<Cell> cells;
    for (std::size_t event = 0; event < shares_.count(); ++event) {
      cells.push_back(shares_.At(self, event));
      cells.push_back(shares_.At(children, event));
    }
    cells.push_back({number});
    cells.push_back({room_ == 0 ? source : FitSource(source, room_)});
    std::string line = JoinCells(cells, widths_, "");
    if (marked) line[0] = '>';
    text_ += line;
  }

  void DrawFile(Line from, Line to) {
    const std::uint32_t file = from->file;
    if (std::none_of(from, to, IsAnchor)) return;
    if (file >= function_.sources.size()) {
      for (Line line = from; line != to; ++line) {
        if (IsAnchor(*line)) Row(line->self, line->children, "", "(no line known)");
      }
      return;
    }
    Row({}, {}, "", places_.Path(file));
    std::vector<const AnnotatedLine*> anchors;
    for (Line line = from; line != to; ++line) {
      if (IsAnchor(*line)) anchors.push_back(&*line);
    }
    last_ = 0;
    std::uint64_t next = 1;  // behind what the anchors before took
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      const std::uint64_t number = anchors[i]->line;
      const std::uint64_t context = options_.context;
      const std::uint64_t first = std::max(next, number - std::min(number, context));
      const std::uint64_t behind =
          i + 1 < anchors.size() ? anchors[i + 1]->line : places_.LineCount(file) + 1;
      next = std::max(number + 1, std::min(number + context + 1, behind));
      DrawContext(file, first, number);
      DrawGap(file, number);
      DrawLine(*anchors[i]);
      DrawContext(file, number + 1, next);
    }
  }

  // Lines [begin, end) without samples, where their text is known.
  void DrawContext(std::uint32_t file, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t number = begin; number < end; ++number) {
      const auto line = static_cast<std::uint32_t>(number);
      const std::optional<std::string> source = places_.Text(file, line);
      if (!source) continue;
      DrawGap(file, number);
      Row({}, {}, std::to_string(line), *source, places_.IsMarked(file, line));
      last_ = number;
    }
  }

  // What is left out between the last line shown and `number`; a single line is not.
  void DrawGap(std::uint32_t file, std::uint64_t number) {
    if (last_ == 0 || number <= last_ + 1) return;
    const auto line = static_cast<std::uint32_t>(last_ + 1);
    const std::optional<std::string> source = places_.Text(file, line);
    if (number == last_ + 2 && source) {
      Row({}, {}, std::to_string(line), *source, places_.IsMarked(file, line));
    } else {
      Row({}, {}, "...", "");
    }
  }

  void DrawLine(const AnnotatedLine& line) {
    const std::optional<std::string> source = places_.Text(line.file, line.line);
    Row(line.self, line.children, line.line == 0 ? "" : std::to_string(line.line),
        source ? *source : places_.Place(line.file, line.line),
        places_.IsMarked(line.file, line.line));
    last_ = line.line;
    DrawCallees(line);
  }

  // What was inlined through the line, as part of its self.
  void DrawCallees(const AnnotatedLine& line) {
    std::vector<const AnnotatedLine::Inlined*> shown;
    analysis::Amounts rest(shares_.count());
    std::size_t others = 0;
    for (const AnnotatedLine::Inlined& callee : line.callees) {
      if (!HasSamples(callee.self)) continue;
      if (shown.size() < kMostCallees) {
        shown.push_back(&callee);
        continue;
      }
      ++others;
      AddAmounts(rest, callee.self);
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool last = i + 1 == shown.size() && others == 0;
      const std::string share = (last ? "└ " : "├ ") + ShareOf(shown[i]->self) + " ";
      const std::size_t used = DisplayWidth(share);
      Row({}, {}, "",
          share +
              places_.Inlined(shown[i]->position, room_ == 0 ? 0 : room_ - std::min(room_, used)));
    }
    if (others > 0) Row({}, {}, "", fmt::format("└ {} at {} more places", ShareOf(rest), others));
  }

  // "12.30%", or a count, of the first event.
  [[nodiscard]] std::string ShareOf(const analysis::Amounts& amounts) const {
    if (shares_.count() == 0) return {};
    const Cell cell = shares_.At(amounts, 0);
    return PadLeft(cell.text.empty() ? "-" : cell.text, 6);
  }

  void DrawTotal() {
    std::string text = "total";
    if (shares_.count() == 1) {
      text += fmt::format(", {} samples",
                          GroupDigits(std::to_string(AmountAt(function_.self, 0).samples)));
    }
    Row(function_.self, function_.children, "", text);
  }

  const AnnotatedFunction& function_;
  const SourcePlaces& places_;
  const ShareColumns& shares_;
  const AnnotateTextOptions& options_;
  std::vector<std::string> titles_;
  std::vector<int> widths_;
  std::uint64_t last_ = 0;  // the line shown last of the file; 0: none
  std::size_t room_ = 0;    // columns of the source text; 0: no limit
  std::string text_;
};

}  // namespace

std::string RenderSourceLines(const AnnotatedFunction& function, const SourcePlaces& places,
                              const ShareColumns& shares, const AnnotateTextOptions& options) {
  return LinePainter(function, places, shares, options).Draw();
}

}  // namespace prof::report
