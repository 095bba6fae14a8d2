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

class StackExpander {
 public:
  // Frames beyond are left out whatever the options say: call graphs are recursive structures.
  static constexpr std::size_t kMaxFrames = 4096;

  static Result<StackExpander> Create(const Profile& profile, const TableOptions& options);

  // Appends the frames, innermost first. False: no frame is the parent that was asked for.
  bool Expand(NodeIndex leaf, std::vector<FrameIndex>& frames);
  [[nodiscard]] const std::vector<FrameInfo>& frames() const { return frames_; }

 private:
  StackExpander(const Profile& profile, const TableOptions& options)
      : profile_(&profile), options_(&options), names_(profile, NameStyle::kFull) {}
  FrameIndex FirstFrame(NodeIndex node);

  const Profile* profile_;
  const TableOptions* options_;
  FunctionNames names_;
  std::vector<FunctionMatcher> parent_;  // none or one
  std::vector<FunctionMatcher> ignored_;
  std::vector<FrameInfo> frames_;
  std::vector<FrameIndex> first_frame_;  // by address index
};

}  // namespace prof::analysis
