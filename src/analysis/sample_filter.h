// Which samples and which stacks a view counts.
#pragma once

#include <vector>

#include "analysis/function_text.h"
#include "analysis/stack_expander.h"

#include "prof/analysis/report_table.h"

namespace prof::analysis {

// The part of a SampleFilter that looks at a sample's thread, CPU and time.
class ThreadFilter {
 public:
  ThreadFilter(const Profile& profile, const SampleFilter& filter)
      : profile_(profile),
        filter_(filter),
        any_(!filter.comms.empty() || !filter.pids.empty() || !filter.tids.empty() ||
             !filter.cpus.empty() || filter.time_begin_ns != 0 ||
             filter.time_end_ns != SampleFilter{}.time_end_ns) {}
  [[nodiscard]] bool Keeps(const model::Sample& sample) const {
    return !any_ || KeepsTested(sample);
  }

 private:
  [[nodiscard]] bool KeepsTested(const model::Sample& sample) const;

  const Profile& profile_;
  const SampleFilter& filter_;
  bool any_;
};

// The part that looks at the code that ran, the innermost frame: as in perf, callers do not count.
class LeafFilter {
 public:
  LeafFilter(const Profile& profile, const SampleFilter& filter, NameStyle style)
      : profile_(profile),
        filter_(filter),
        full_(profile, NameStyle::kFull),
        shown_(profile, style) {}
  [[nodiscard]] bool Keeps(const CodeLocation& leaf);

 private:
  [[nodiscard]] bool KeepsModule(ModuleIndex module) const;

  const Profile& profile_;
  const SampleFilter& filter_;
  FunctionNames full_;
  FunctionNames shown_;
};

}  // namespace prof::analysis
