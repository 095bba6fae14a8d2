// Stacks of nodes to stacks of frames as one view sees them: inlined functions, depth, folded
// callees.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/function_text.h"

#include "prof/analysis/report_table.h"

namespace prof::analysis {

using FrameIndex = std::uint32_t;  // one inline level of one address, dense within a view

struct FrameInfo {
  CodeLocation location;
  model::FileAddr address;  // the lookup address
};

// Consecutive frames, innermost first.
struct FrameRange {
  FrameIndex first = 0;
  std::uint32_t count = 0;
};

class StackExpander {
 public:
  // Frames beyond are left out whatever the options say: call graphs are recursive structures.
  static constexpr std::size_t kMaxFrames = 4096;

  static Result<StackExpander> Create(const Profile& profile, const TableOptions& options);

  // Whether every stack simply is the frames of its nodes: nothing is cut, folded or tested.
  [[nodiscard]] bool IsPlain() const;
  // The frames of one stack node.
  FrameRange FramesOf(NodeIndex node) {
    const std::uint32_t address = profile_->FrameOf(node).address_index;
    const bool known = address < frames_of_.size() && frames_of_[address].count > 0;
    return known ? frames_of_[address] : MakeFrames(node);
  }
  // Appends the frames, innermost first. False: no frame is the parent that was asked for.
  bool Expand(NodeIndex leaf, std::vector<FrameIndex>& frames);
  [[nodiscard]] const std::vector<FrameInfo>& frames() const { return frames_; }

 private:
  StackExpander(const Profile& profile, const TableOptions& options)
      : profile_(&profile), options_(&options), names_(profile, NameStyle::kFull) {}
  FrameRange MakeFrames(NodeIndex node);

  const Profile* profile_;
  const TableOptions* options_;
  FunctionNames names_;
  std::vector<FunctionMatcher> parent_;  // none or one
  std::vector<FunctionMatcher> ignored_;
  std::vector<FrameInfo> frames_;
  std::vector<FrameRange> frames_of_;  // by address index; empty: not asked for yet
};

}  // namespace prof::analysis
