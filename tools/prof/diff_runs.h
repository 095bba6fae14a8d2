// Records the runs of `prof diff --runs`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diff_arguments.h"
#include "diff_sides.h"
#include "stat_plan.h"

#include "prof/base/result.h"

namespace prof::tools {

// How one `prof record` ended.
struct RecordEnd {
  int status = 0;             // as a shell shows it: the command's, or prof's own
  bool recorded = false;      // the file is there
  std::string output;         // the end of what it and the command printed
  std::optional<int> signal;  // that prof diff got meanwhile
};

// What runs: `prof record` as a child process, or a script of ends in tests.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // `prof record ARGS`, which writes `file`.
  virtual Result<RecordEnd> Record(const std::vector<std::string>& args,
                                   const std::string& file) = 0;
  virtual void Remove(const std::string& file) = 0;
};

// Told before each run: progress. `left_s`: seconds until the end, once they can be told.
using RunWatch = std::function<void(const PlannedRun& run, std::optional<double> left_s)>;

struct RecordedRuns {
  SidePair files;  // whole runs, in the order of execution
  std::optional<int> signal;
  std::vector<std::string> notes;
  std::optional<Error> error;  // the files are not to be compared
  std::string failed_output;   // of the run that the error is about
};

// FOLDER/before.1.data, FOLDER/after.1.data, ...: one run of each side in turn, every other pair in
// reverse (A B B A), so that what drifts weighs on both sides alike. A run that cannot be recorded
// is an error; so is one that fails, unless failures are ignored. A signal ends it after the last
// whole run, which is an error where a side has none. `seconds` is a clock.
RecordedRuns RecordRuns(const DiffRuns& options, const std::string& folder, RecordSource& source,
                        const RunWatch& watch, const std::function<double()>& seconds);

// The words of prof record for one run.
std::vector<std::string> RecordWords(const DiffRuns& options,
                                     const std::vector<std::string>& command,
                                     const std::string& file);

}  // namespace prof::tools
