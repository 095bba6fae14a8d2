// Walks the target's process tree in /proc and applies the differences as if they had been
// announced.
#include "collect/proc_resync.h"

#include <set>
#include <utility>
#include <vector>

#include "collect/event_index.h"
#include "collect/proc_snapshot.h"

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

struct WantedProcess {
  pid_t pid = 0;
  pid_t origin = 0;  // of its threads that are not known yet
};

std::vector<WantedProcess> KnownProcesses(const HostFs& fs, pid_t command, Following following,
                                          ProcessTable& table) {
  std::vector<WantedProcess> wanted;
  if (following == Following::kEverybody) {
    for (const pid_t pid : ListProcesses(fs)) wanted.push_back({pid, kEveryTask});
    return wanted;
  }
  if (command != 0) wanted.push_back({command, command});
  table.ForEachThread([&wanted](const ThreadState& thread) {
    if (thread.exited_ns == 0)
      wanted.push_back({static_cast<pid_t>(thread.process->pid), thread.origin});
  });
  return wanted;
}

void ResyncThread(const HostFs& fs, const WantedProcess& process, pid_t tid, bool may_add,
                  ProcessTable& table) {
  const auto pid = static_cast<std::uint32_t>(process.pid);
  const auto id = static_cast<std::uint32_t>(tid);
  const std::string name = ThreadName(fs, tid);
  const auto known = table.FindThread(id);
  if (known == nullptr || known->exited_ns != 0 || known->process->pid != pid) {
    if (may_add) table.AddThread(pid, id, name, process.origin);
  } else if (known->name != name && !name.empty()) {
    table.Apply(
        perf::CommRecord{.id = {.time_ns = MonotonicNs()}, .pid = pid, .tid = id, .comm = name});
  }
}

}  // namespace

void ResyncWithProc(const HostFs& fs, pid_t command, Following following, ProcessTable& table) {
  std::vector<WantedProcess> wanted = KnownProcesses(fs, command, following, table);
  std::set<pid_t> processes, threads;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const WantedProcess process = wanted[at];
    if (!processes.insert(process.pid).second) continue;
    const auto tids = ListThreads(fs, process.pid);
    if (!tids || tids->empty()) continue;  // gone meanwhile
    for (const pid_t tid : *tids) {
      threads.insert(tid);
      ResyncThread(fs, process, tid, following != Following::kNobody, table);
    }
    if (const auto state = table.FindProcess(static_cast<std::uint32_t>(process.pid)))
      SnapshotMappings(fs, tids->back(), state, table);
    if (following != Following::kChildren) continue;
    for (const pid_t child : ListChildren(fs, process.pid))
      wanted.push_back({child, process.origin});
  }
  std::vector<perf::ExitRecord> gone;
  table.ForEachThread([&](const ThreadState& thread) {
    if (thread.exited_ns == 0 && thread.tid != 0 &&
        !threads.contains(static_cast<pid_t>(thread.tid)))
      gone.push_back({.tid = thread.tid, .time_ns = MonotonicNs()});
  });
  for (const perf::ExitRecord& exit : gone) table.Apply(exit);
}

}  // namespace prof::collect
