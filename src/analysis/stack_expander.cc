// Walks a stack from its leaf and lays out the frames a view is to see.
#include "analysis/stack_expander.h"

#include <algorithm>

namespace prof::analysis {

Result<StackExpander> StackExpander::Create(const Profile& profile, const TableOptions& options) {
  StackExpander expander(profile, options);
  if (!options.parent_regex.empty()) {
    PROF_TRY_ASSIGN(auto matcher, FunctionMatcher::Compile(options.parent_regex));
    expander.parent_.push_back(std::move(matcher));
  }
  for (const std::string& pattern : options.ignore_callees) {
    PROF_TRY_ASSIGN(auto matcher, FunctionMatcher::Compile(pattern));
    expander.ignored_.push_back(std::move(matcher));
  }
  return expander;
}

FrameRange StackExpander::MakeFrames(NodeIndex node_index) {
  const StackFrame& node = profile_->FrameOf(node_index);
  if (node.address_index >= frames_of_.size()) {
    frames_of_.resize(std::max<std::size_t>(node.address_index + 1, frames_of_.size() * 2));
  }
  FrameRange& range = frames_of_[node.address_index];
  range.first = static_cast<FrameIndex>(frames_.size());
  const auto chain = profile_->Locations(node_index);
  for (const CodeLocation& location : options_->inlines ? chain : chain.last(1)) {
    frames_.push_back({location, model::LookupAddress(node.address, node.kind)});
    ++range.count;
  }
  return range;
}

bool StackExpander::IsPlain() const {
  if (!parent_.empty() || !ignored_.empty() || options_->max_stack != 0) return false;
  const auto nodes = profile_->nodes();
  std::vector<std::uint32_t> levels(profile_->frames().size(), options_->inlines ? 0 : 1);
  std::vector<std::uint16_t> depth(nodes.size());
  for (NodeIndex node = model::kStackRootCount; node < nodes.size(); ++node) {
    std::uint32_t& frames = levels[nodes[node].frame];
    if (frames == 0) frames = static_cast<std::uint32_t>(profile_->Locations(node).size());
    const std::size_t total = std::size_t{depth[nodes[node].parent]} + frames;
    if (total > kMaxFrames) return false;
    depth[node] = static_cast<std::uint16_t>(total);
  }
  return true;
}

bool StackExpander::Expand(NodeIndex leaf, std::vector<FrameIndex>& frames) {
  const std::size_t begin = frames.size();
  bool parent_found = parent_.empty();
  std::uint32_t physical = 0;
  NodeIndex node = leaf;
  do {
    FrameIndex frame = FramesOf(node).first;
    for (bool outermost = false; !outermost; ++frame) {
      const CodeLocation& location = frames_[frame].location;
      outermost = !location.inlined;
      if (!parent_found) {
        parent_found = parent_.front().Matches(location.function, names_);
      }
      // What an ignored function called becomes its own, so the frames so far go.
      if (std::ranges::any_of(ignored_, [&](FunctionMatcher& matcher) {
            return matcher.Matches(location.function, names_);
          })) {
        frames.resize(begin);
      }
      if (frames.size() - begin < kMaxFrames) frames.push_back(frame);
    }
    ++physical;
    node = profile_->nodes()[node].parent;
  } while (!model::IsRoot(node) && (options_->max_stack == 0 || physical < options_->max_stack));
  return parent_found;
}

}  // namespace prof::analysis
