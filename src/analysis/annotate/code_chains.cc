// A sweep over line rows and inlined ranges side by side.
#include "analysis/annotate/code_chains.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace prof::analysis {

CodeChains::CodeChains(const model::FunctionCode& code) : code_(code), lines_(code.lines) {
  if (!std::ranges::is_sorted(lines_, {}, &model::CodeLine::address)) {
    std::ranges::sort(lines_, {}, &model::CodeLine::address);
  }
  for (const model::InlinedRange& range : code.inlined) {
    const bool possible = range.depth > 0 && range.depth <= kMaxDepth && range.begin < range.end;
    if (possible) ranges_.push_back(&range);
  }
  std::ranges::sort(ranges_, [](const auto* a, const auto* b) {
    return std::tie(a->begin, a->depth, a) < std::tie(b->begin, b->depth, b);
  });
}

bool CodeChains::MoveTo(model::FileAddr address) {
  bool changed = chain_.empty() || address.value >= first_end_;
  while (next_line_ < lines_.size() && lines_[next_line_].address <= address) {
    ++next_line_;
    changed = true;
  }
  while (next_range_ < ranges_.size() && ranges_[next_range_]->begin <= address) {
    const model::InlinedRange* range = ranges_[next_range_++];
    if (range->depth > newest_.size()) newest_.resize(range->depth);
    newest_[range->depth - 1] = range;
    changed = true;
  }
  if (changed) Rebuild(address);
  return changed;
}

ChainStep CodeChains::Step(std::string_view name, std::uint32_t file, std::uint32_t line) const {
  if (line == 0 || file >= code_.files.size()) return {.name = name};
  return {.name = name, .file = file, .line = line};
}

void CodeChains::Rebuild(model::FileAddr address) {
  first_end_ = std::numeric_limits<std::uint64_t>::max();
  std::size_t depth = 0;
  while (depth < newest_.size() && newest_[depth] != nullptr && newest_[depth]->end > address) {
    first_end_ = std::min(first_end_, newest_[depth]->end.value);
    ++depth;
  }
  const auto name = [&](std::size_t level) -> std::string_view {
    return level == 0 ? code_.name : newest_[level - 1]->name;
  };
  const model::CodeLine row = next_line_ == 0 ? model::CodeLine{} : lines_[next_line_ - 1];
  chain_.clear();
  chain_.push_back(Step(name(depth), row.file, row.line));
  for (; depth > 0; --depth) {
    const model::InlinedRange& range = *newest_[depth - 1];
    chain_.push_back(Step(name(depth - 1), range.call_file, range.call_line));
  }
}

}  // namespace prof::analysis
