// Puts the stacks that pass the filters into one tree.
#include "analysis/kept_stacks.h"

namespace prof::analysis {

StackTree PlantStacks(const Profile& profile, const TableOptions& options, StackExpander& expander,
                      EventGroups& groups) {
  StackTreeBuilder builder(profile, expander);
  std::size_t kept = 0;
  ForEachKept(profile, options, expander, groups,
              [&](SampleGroup& group, FrameIndex, const std::vector<FrameIndex>& frames) {
                group.stack = frames.empty() ? builder.Add(group.context, group.stack)
                                             : builder.Add(group.context, frames);
                groups.groups[kept++] = group;
              });
  groups.groups.resize(kept);
  return builder.Finish(groups.groups);
}

}  // namespace prof::analysis
