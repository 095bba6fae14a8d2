// The stacks that pass the filters of a view.
#pragma once

#include <vector>

#include "analysis/aggregate.h"
#include "analysis/sample_filter.h"
#include "analysis/stack_expander.h"
#include "analysis/stack_tree.h"

namespace prof::analysis {

// Calls `use(group, leaf, frames)` for the groups whose stacks pass the filters; the others are
// counted as dropped. The frames are empty when they are simply those of the stack.
template <class Use>
void ForEachKept(const Profile& profile, const TableOptions& options, StackExpander& expander,
                 EventGroups& groups, Use use) {
  LeafFilter filter(profile, options.filter, options.names);
  const bool plain = expander.IsPlain();
  std::vector<FrameIndex> frames;
  for (SampleGroup& group : groups.groups) {
    frames.clear();
    bool keep = true;
    if (!plain) keep = expander.Expand(group.stack, frames);
    const FrameIndex leaf = plain ? expander.FramesOf(group.stack).first : frames.front();
    if (keep && filter.Keeps(expander.frames()[leaf].location)) {
      use(group, leaf, frames);
    } else {
      groups.dropped_weight += group.weight;
      groups.dropped_samples += group.samples;
    }
  }
}

// The tree of the stacks that pass. Only their groups are left, and `stack` of each is a node.
StackTree PlantStacks(const Profile& profile, const TableOptions& options, StackExpander& expander,
                      EventGroups& groups);

}  // namespace prof::analysis
