// Draws assembly with percentages, jump arrows and the source lines it comes from.
#include "report/annotate_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "report/annotate_head.h"
#include "report/call_graph_text.h"
#include "report/head_text.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::AnnotatedFunction;
using analysis::AnnotatedInstruction;
using analysis::CodeCopy;
using analysis::InlineStep;
using analysis::Position;

constexpr std::size_t kBytesPerRow = 7;  // as objdump
constexpr std::size_t kBytesColumns = 3 * kBytesPerRow - 1;
constexpr std::size_t kPlaceColumns = 24;  // of -l; in a pipe longer ones stand over the edge
constexpr std::size_t kStepIn = 2;         // instructions lie further right than line numbers
constexpr std::size_t kLeastText = 12;     // what stays of a text before the line is cut

std::size_t MostLanes(int width) {
  if (width == 0 || width >= 120) return 8;
  return width >= 100 ? 6 : 4;
}

std::string BytesText(const std::vector<std::byte>& bytes, std::size_t begin) {
  std::string text;
  for (std::size_t i = begin; i < std::min(bytes.size(), begin + kBytesPerRow); ++i)
    text += fmt::format("{}{:02x}", i > begin ? " " : "", static_cast<unsigned>(bytes[i]));
  return text;
}

// Same code of the same inlined calls: only the line within it may differ.
bool SameChain(const Position& a, const Position& b) {
  if (a.size() != b.size() || a.empty()) return false;
  return a.front().file == b.front().file && a.front().name == b.front().name &&
         std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

class CopyPainter {
 public:
  CopyPainter(const CodeCopy& copy, const SourcePlaces& places, const ShareColumns& shares,
              const AnnotateTextOptions& options, bool marks_block)
      : copy_(copy),
        places_(places),
        shares_(shares),
        options_(options),
        marks_block_(marks_block),
        widths_(shares.Widths()),
        lanes_(CopyLanes(copy, options.width)) {
    with_source_ = options.view == AnnotateView::kMixed &&
                   std::ranges::any_of(copy.instructions, [&](const AnnotatedInstruction& one) {
                     return IsKnown(PositionOf(one));
                   });
    for (const AnnotatedInstruction& one : copy.instructions) {
      address_columns_ =
          std::max(address_columns_, fmt::formatted_size("{:x}", one.code.address.value));
      const Position* position = PositionOf(one);
      if (!with_source_ || !IsKnown(position) || !IsOwn(*position)) continue;
      number_columns_ = std::max(number_columns_, std::to_string(position->front().line).size());
    }
  }

  std::string Draw() {
    if (!options_.quiet) DrawHeading();
    for (std::uint32_t i = 0; i < copy_.instructions.size(); ++i) {
      DrawGap(i);
      if (with_source_) DrawSource(i);
      DrawInstruction(i);
    }
    if (HasSamples(copy_.outside)) {
      Row({&copy_.outside, false, false}, "(samples outside the code that is known)");
    }
    return std::move(text_);
  }

 private:
  struct RowStart {
    const analysis::Amounts* amounts = nullptr;
    bool hot = false;
    bool marked = false;
  };

  [[nodiscard]] const Position* PositionOf(const AnnotatedInstruction& one) const {
    if (one.position >= copy_.positions.size()) return nullptr;
    const Position& position = copy_.positions[one.position];
    return position.empty() ? nullptr : &position;
  }
  [[nodiscard]] static bool IsKnown(const Position* position) {
    return position != nullptr && position->front().file != model::kNoFile &&
           position->front().line != 0;
  }
  // A line of the function itself, in its own file: its number stands alone.
  [[nodiscard]] bool IsOwn(const Position& position) const {
    return position.size() == 1 && position.front().file == places_.main_file();
  }
  [[nodiscard]] bool IsHot(std::uint32_t i) const {
    return marks_block_ && i >= copy_.hot->first && i <= copy_.hot->last;
  }

  // Columns of what stands in front of a row's content, up to the bar and the blank behind it.
  [[nodiscard]] std::size_t StartColumns() const {
    std::size_t columns = 3;
    for (const int width : widths_) columns += 2 + static_cast<std::size_t>(width);
    return columns;
  }
  // What is left for a text behind `used` columns of content; 0: no limit.
  [[nodiscard]] std::size_t Room(std::size_t used) const {
    if (options_.width == 0) return 0;
    used += StartColumns();
    const auto width = static_cast<std::size_t>(options_.width);
    return std::max(kLeastText, width - std::min(width, used));
  }

  void Row(const RowStart& start, std::string_view content) {
    std::string line = PaddedCells(
        shares_.All(start.amounts == nullptr ? analysis::Amounts() : *start.amounts), widths_);
    if (start.marked && !line.empty()) line[0] = '>';
    line += start.hot ? " ┃ " : " │ ";
    const auto width = static_cast<std::size_t>(options_.width);
    line += width == 0 ? std::string(content)
                       : CutText(content, width - std::min(width, StartColumns()));
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  void DrawHeading() {
    std::string line = PaddedTitles(shares_.Titles(), widths_) + " │ ";
    if (with_source_) {
      line += places_.HasText(places_.main_file())
                  ? CutText(places_.Path(places_.main_file()), std::max<std::size_t>(Room(0), 40))
                  : "lines and instructions";
    } else {
      line += "instructions";
    }
    text_ += line + "\n#\n";
  }

  // Between parts of an inlined copy.
  void DrawGap(std::uint32_t i) {
    if (i == 0) return;
    const AnnotatedInstruction& before = copy_.instructions[i - 1];
    if (before.code.address + before.code.length == copy_.instructions[i].code.address) return;
    Row({}, Passing(i) + "...");
    last_ = nullptr;
  }

  [[nodiscard]] std::string Passing(std::uint32_t i) const {
    std::string lanes = lanes_.Before(i);
    if (!lanes.empty()) lanes.pop_back();  // line numbers begin a column before the arrow heads end
    return lanes;
  }

  void DrawSource(std::uint32_t i) {
    const Position* position = PositionOf(copy_.instructions[i]);
    if (!IsKnown(position)) return;
    const bool same_chain = last_ != nullptr && SameChain(*last_, *position);
    const InlineStep& inner = position->front();
    if (same_chain && last_->front().line == inner.line) return;
    last_ = position;
    const RowStart start{nullptr, IsHot(i),
                         places_.IsMarked(position->back().file, position->back().line) ||
                             places_.IsMarked(inner.file, inner.line)};
    const std::string passing = Passing(i);
    const std::string gutter(number_columns_ == 0 ? 0 : number_columns_ + 2, ' ');
    const std::optional<std::string> source = places_.Text(inner.file, inner.line);
    const std::size_t used = DisplayWidth(passing) + gutter.size();
    if (IsOwn(*position)) {
      const std::string number = PadLeft(std::to_string(inner.line), number_columns_) + "  ";
      Row(start, source ? passing + number + Cut(*source, used)
                        : passing + Cut(places_.Place(inner.file, inner.line), used));
      return;
    }
    if (!same_chain) Row(start, passing + gutter + places_.Chain(*position, Room(used)));
    if (source) {
      const std::string number = std::to_string(inner.line) + "  ";
      Row(start, passing + gutter + number + Cut(*source, used + number.size()));
    } else if (same_chain) {
      Row(start, passing + gutter + Cut(places_.Place(inner.file, inner.line), used));
    }
  }

  [[nodiscard]] std::string Cut(const std::string& text, std::size_t used) const {
    const std::size_t room = Room(used);
    return room == 0 ? text : FitSource(text, room);
  }

  void DrawInstruction(std::uint32_t i) {
    const AnnotatedInstruction& one = copy_.instructions[i];
    std::string content = lanes_.At(i, with_source_ ? kStepIn : 0);
    if (!content.empty()) content += ' ';
    if (content.empty() && with_source_) content.append(kStepIn + 2, ' ');
    content += PadLeft(fmt::format("{:x}", one.code.address.value), address_columns_) + ":  ";
    if (options_.raw_bytes) content += PadRight(BytesText(one.bytes, 0), kBytesColumns) + "  ";
    if (options_.line_numbers) content += PlaceColumn(one) + "  ";
    content += InstructionText(one, Room(DisplayWidth(content)));
    Row({&one.self, IsHot(i), false}, content);
    if (!options_.raw_bytes) return;
    for (std::size_t at = kBytesPerRow; at < one.bytes.size(); at += kBytesPerRow) {
      std::string rest = lanes_.Before(i + 1);
      if (!rest.empty()) rest += ' ';
      rest.append(with_source_ ? kStepIn + (rest.empty() ? 2 : 0) : 0, ' ');
      rest += PadLeft(fmt::format("{:x}", one.code.address.value + at), address_columns_) + ":  ";
      Row({nullptr, IsHot(i), false}, rest + BytesText(one.bytes, at));
    }
  }

  [[nodiscard]] std::string PlaceColumn(const AnnotatedInstruction& one) const {
    const Position* position = PositionOf(one);
    if (!IsKnown(position)) return std::string(kPlaceColumns, ' ');
    const std::string place = places_.Place(position->front().file, position->front().line);
    return PadRight(options_.width == 0 ? place : FitName(place, kPlaceColumns), kPlaceColumns);
  }

  const CodeCopy& copy_;
  const SourcePlaces& places_;
  const ShareColumns& shares_;
  const AnnotateTextOptions& options_;
  bool marks_block_;
  std::vector<int> widths_;
  JumpLanes lanes_;
  bool with_source_ = false;
  std::size_t address_columns_ = 0;
  std::size_t number_columns_ = 0;
  const Position* last_ = nullptr;  // of the source rows above
  std::string text_;
};

std::string CopySentence(const AnnotatedFunction& function, std::size_t index,
                         const ShareColumns& shares, int width) {
  const CodeCopy& copy = function.copies[index];
  std::string before;
  if (function.copies.size() > 1) {
    before = fmt::format("copy {} of {}, ", index + 1, function.copies.size());
    if (shares.count() > 0) before += PercentText(shares.Percent(copy.self, 0)) + ", ";
  }
  const std::string behind =
      fmt::format(": {} bytes from {:x}", GroupDigits(std::to_string(copy.size)), copy.start.value);
  std::string name = CopyName(copy);
  if (width > 0) {
    const std::size_t used = before.size() + behind.size() + 4;
    const auto all = static_cast<std::size_t>(width);
    name = FitName(name, std::max(kLeastText, all - std::min(all, used)));
  }
  return before + name + behind;
}

// The hottest block of the hottest copy, and of others with a share that has a colour.
bool MarksBlock(const AnnotatedFunction& function, std::size_t index, const ShareColumns& shares) {
  const CodeCopy& copy = function.copies[index];
  if (!copy.hot || shares.count() == 0 || !HasSamples(copy.hot->self)) return false;
  return index == 0 || ShareColor(shares.Percent(copy.hot->self, 0)) != nullptr;
}

std::string HotBlockSentence(const CodeCopy& copy, const ShareColumns& shares) {
  const auto address = [&](std::uint32_t i) {
    return i < copy.instructions.size() ? copy.instructions[i].code.address.value : 0;
  };
  return fmt::format("  hottest block, beside ┃: {:x}: to {:x}:, {}", address(copy.hot->first),
                     address(copy.hot->last), PercentText(shares.Percent(copy.hot->self, 0)));
}

}  // namespace

JumpLanes CopyLanes(const CodeCopy& copy, int width) {
  std::vector<Jump> jumps;
  std::vector<std::uint64_t> heat;
  heat.reserve(copy.instructions.size());
  for (std::uint32_t i = 0; i < copy.instructions.size(); ++i) {
    heat.push_back(AmountAt(copy.instructions[i].self, 0).weight);
    if (copy.instructions[i].jumps_to) jumps.push_back({i, *copy.instructions[i].jumps_to});
  }
  return JumpLanes(jumps, heat, MostLanes(width));
}

std::string InstructionText(const AnnotatedInstruction& instruction, std::size_t width) {
  std::string text = Printable(instruction.code.text);
  std::string name = Printable(instruction.target_name);
  const std::optional<model::FileAddr>& target = instruction.code.target;
  if (!name.empty() || instruction.code.referred) {
    if (name.starts_with('<') && name.ends_with('>')) name = name.substr(1, name.size() - 2);
    const std::string hex = target ? fmt::format("{:x}", target->value) : std::string();
    // Where the target is elsewhere its name says more than its address.
    const bool leaves = target && !instruction.jumps_to && !name.starts_with('+');
    if (leaves && text.ends_with(" " + hex)) text.erase(text.size() - hex.size() - 1);
    if (!target && instruction.code.referred) text += "  #";
    if (name.empty()) {
      text += fmt::format(" {:x}", instruction.code.referred->value);
    } else {
      const std::size_t used = DisplayWidth(text) + 3;
      if (width > 0) name = FitName(name, std::max(kLeastText, width - std::min(width, used)));
      text += " <" + name + ">";
    }
  }
  return width == 0 ? text : CutText(text, width);
}

std::string RenderCopy(const AnnotatedFunction& function, std::size_t index,
                       const SourcePlaces& places, const ShareColumns& shares,
                       const AnnotateTextOptions& options) {
  const CodeCopy& copy = function.copies[index];
  std::string text;
  const bool marks_block = MarksBlock(function, index, shares);
  if (!options.quiet) {
    text = Comment(CopySentence(function, index, shares, options.width), options.width);
    if (const std::string origin = OriginSentence(copy); !origin.empty() && !HasOneOrigin(function))
      text += Comment("  " + origin, options.width);
    if (marks_block) text += Comment(HotBlockSentence(copy, shares), options.width);
    text += "#\n";
  }
  if (!copy.instructions.empty() || HasSamples(copy.outside))
    text += CopyPainter(copy, places, shares, options, marks_block).Draw();
  return text;
}

}  // namespace prof::report
