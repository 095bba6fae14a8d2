// How far repeated runs have come: one line on a terminal, or one line for each run (-v).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stat_arguments.h"
#include "stat_plan.h"
#include "stat_runner.h"

namespace prof::tools {

// "run 7 of 20, about 12 s left"; "run 13, the median's 95 % interval is 1.8 % wide (1 % wanted),
// about 30 s left". Without colours and line ends.
std::string ProgressText(const RepeatOptions& options, const PlannedRun& run,
                         const RunStopping& stopping, double seconds);

// Writes to standard error, which is a terminal for `line`. The cursor stays at the beginning of
// the line, so that what the command prints there overwrites it.
class StatProgress final : public RunWatcher {
 public:
  StatProgress(const StatArguments& arguments, bool line);
  ~StatProgress() override { Clear(); }
  StatProgress(const StatProgress&) = delete;
  StatProgress& operator=(const StatProgress&) = delete;

  void BeforeRun(const PlannedRun& run, const RunStopping& stopping, double seconds) override;
  void AfterRun(const PlannedRun& run, const model::RunDef& result) override;
  void Clear();

 private:
  const StatArguments& arguments_;
  bool line_;
  bool drawn_ = false;
};

}  // namespace prof::tools
