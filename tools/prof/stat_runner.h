// Runs the commands of `prof stat` as often as wanted, and stops when something goes wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stat_arguments.h"
#include "stat_plan.h"

#include "prof/base/result.h"
#include "prof/collect/count_session.h"

namespace prof::tools {

// What runs: collect::CountSession, or a script of outcomes in tests.
class RunSource {
 public:
  virtual ~RunSource() = default;
  virtual Result<collect::RunOutcome> Run(const collect::RunRequest& request) = 0;
  virtual Result<int> RunAside(const std::string& command) = 0;
  virtual std::optional<collect::StopReason> Interrupted() = 0;
};

// Told of every run, warm-ups included: progress, -v.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void BeforeRun(const PlannedRun& run, const RunStopping& stopping, double seconds) = 0;
  virtual void AfterRun(const PlannedRun& run, const model::RunDef& result) = 0;
};

struct RunnerEnd {
  int exit_status = 0;             // of prof stat
  std::uint64_t whole_runs = 0;    // that count, over all sides
  std::optional<Error> error;      // to be printed after the results so far
  std::vector<std::string> notes;  // as well
};

// `seconds` is a clock. A run that fails ends everything, unless it is the only one or failures are
// ignored. An interrupt ends it after the last whole run.
RunnerEnd RunAll(const StatArguments& arguments, RunSource& source, RunWatcher& watcher,
                 const std::function<double()>& seconds);

}  // namespace prof::tools
