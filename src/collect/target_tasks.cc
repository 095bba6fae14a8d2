// Looks the target's tasks and CPUs up.
#include "collect/target_tasks.h"

#include <algorithm>

#include "collect/proc_snapshot.h"

namespace prof::collect {

Status NarrowCpus(const std::vector<int>& wanted, std::vector<int>& online) {
  if (wanted.empty()) return {};
  for (const int cpu : wanted) {
    if (std::ranges::find(online, cpu) == online.end()) {
      return Fail(ErrorKind::kUsage, "CPU " + std::to_string(cpu) + " is not online",
                  "cat /sys/devices/system/cpu/online");
    }
  }
  online = wanted;
  return {};
}

Result<std::vector<pid_t>> ThreadsOf(const RecordTarget& target, bool children, const HostFs& fs) {
  std::vector<pid_t> wanted;
  for (const pid_t tid : target.tids) {
    if (!ProcessOf(fs, tid))
      return Fail(ErrorKind::kNotFound, "no thread with id " + std::to_string(tid),
                  "ps -eLf lists them");
    wanted.push_back(tid);
  }
  std::vector<pid_t> processes_left = target.pids;
  for (std::size_t at = 0; at < processes_left.size(); ++at) {
    const pid_t pid = processes_left[at];
    const bool asked_for = at < target.pids.size();
    const auto threads = ListThreads(fs, pid);
    if (!threads && asked_for)
      return Fail(ErrorKind::kNotFound, "no process with id " + std::to_string(pid),
                  "ps -e lists them");
    if (!threads) continue;
    wanted.insert(wanted.end(), threads->begin(), threads->end());
    if (!children) continue;
    for (const pid_t child : ListChildren(fs, pid)) processes_left.push_back(child);
  }
  return wanted;
}

}  // namespace prof::collect
