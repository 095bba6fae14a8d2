// Opens the events of a recording's target and learns what was running before.
#pragma once

#include <sys/types.h>

#include <vector>

#include "collect/event_set.h"
#include "collect/process_table.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/collect/record_options.h"

namespace prof::collect {

class TargetOpener {
 public:
  const RecordOptions& options;
  const HostFs& fs;
  EventSet& events;
  ProcessTable& processes;
  RingPlan rings;
  bool cpu_wide = false;

  // Returns the tasks on which events were opened (for CPU time). `command` is the forked child, or
  // 0.
  Result<std::vector<pid_t>> Open(pid_t command);

 private:
  Result<std::vector<pid_t>> OpenCommand(pid_t command);
  Result<std::vector<pid_t>> OpenTasks();
  Result<std::vector<pid_t>> OpenWholeCpus();
  Status Attach(pid_t tid, std::vector<pid_t>& opened);
  void Adopt(pid_t tid);
};

}  // namespace prof::collect
