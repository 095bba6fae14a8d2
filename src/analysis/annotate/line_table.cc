// Adds up the lines of the annotated function over all frames and stacks.
#include "analysis/annotate/line_table.h"

#include <algorithm>
#include <tuple>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/stack_presence.h"

namespace prof::analysis {

std::uint32_t LineTable::LineOf(const CodeLocation& location) {
  const bool known = location.file != kNoIndex && location.line != 0;
  const std::uint32_t file = known ? sources_.Of(location.file) : model::kNoFile;
  const std::uint32_t line = known ? location.line : 0;
  const auto fresh = static_cast<std::uint32_t>(lines_.size());
  const auto [entry, added] = by_place_.try_emplace({file, line}, fresh);
  if (added) {
    lines_.push_back({.file = file,
                      .line = line,
                      .self = samples_.Zero(),
                      .inlined = samples_.Zero(),
                      .children = samples_.Zero(),
                      .callees = {}});
  }
  return entry->second;
}

Position LineTable::PositionOf(std::span<const CodeLocation> chain, std::size_t level) {
  Position position;
  for (const CodeLocation& location : chain.first(level + 1)) {
    const bool known = location.file != kNoIndex && location.line != 0;
    position.push_back({.name = names_.Of(location.function),
                        .file = known ? sources_.Of(location.file) : model::kNoFile,
                        .line = known ? location.line : 0});
  }
  return position;
}

void LineTable::AddSelf(std::uint32_t frame, std::span<const CodeLocation> chain,
                        std::size_t level) {
  const Amounts& self = samples_.Self(frame);
  AnnotatedLine& line = lines_[LineOf(chain[level])];
  AddTo(line.self, self);
  if (level == 0) return;
  AddTo(line.inlined, self);
  Position position = PositionOf(chain, level);
  auto callee = std::ranges::find(line.callees, position, &AnnotatedLine::Inlined::position);
  if (callee == line.callees.end()) {
    line.callees.push_back({.position = std::move(position), .self = samples_.Zero()});
    callee = std::prev(line.callees.end());
  }
  AddTo(callee->self, self);
}

// Leaves in on_frame_ the lines of the function that the frame has.
void LineTable::AddFrame(std::uint32_t frame, NodeIndex node) {
  const auto chain = profile_.Locations(node);
  for (const CodeLocation& location : chain) {
    if (functions_.Has(location.function)) on_frame_.push_back(LineOf(location));
  }
  std::ranges::sort(on_frame_);
  const auto repeated = std::ranges::unique(on_frame_);
  on_frame_.erase(repeated.begin(), repeated.end());
  if (on_frame_.empty() || IsZero(samples_.Self(frame))) return;
  const std::size_t level = *functions_.Level(chain);
  hits_.push_back({.frame = frame, .node = node, .level = level});
  AddSelf(frame, chain, level);
}

void LineTable::Build() {
  FrameKeys keys;
  for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
    on_frame_.clear();
    const NodeIndex node = samples_.NodeOf(frame);
    if (node != kNoIndex) AddFrame(frame, node);
    keys.Append(on_frame_);
  }
  const auto children =
      CountOnStacks(profile_, samples_, keys, static_cast<std::uint32_t>(lines_.size()));
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].children = children[i];
}

std::vector<AnnotatedLine> LineTable::Take(std::uint32_t first_file) {
  // Lines of frames that no sample in scope has.
  std::erase_if(lines_, [](const AnnotatedLine& line) { return IsZero(line.children); });
  const auto rank = [&](const AnnotatedLine& line) {
    return line.file == model::kNoFile ? 2 : line.file == first_file ? 0 : 1;
  };
  const auto path = [&](const AnnotatedLine& line) {
    return line.file == model::kNoFile ? std::string_view() : sources_.Path(line.file);
  };
  std::ranges::sort(lines_, [&](const AnnotatedLine& a, const AnnotatedLine& b) {
    return std::tuple(rank(a), path(a), a.line) < std::tuple(rank(b), path(b), b.line);
  });
  for (AnnotatedLine& line : lines_) {
    std::ranges::sort(line.callees, [](const auto& a, const auto& b) {
      const int order = CompareAmounts(a.self, b.self);
      if (order != 0) return order > 0;
      const auto key = [](const InlineStep& s) { return std::tie(s.name, s.file, s.line); };
      return std::ranges::lexicographical_compare(a.position, b.position, {}, key, key);
    });
  }
  return std::move(lines_);
}

}  // namespace prof::analysis
