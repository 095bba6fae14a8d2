// Attaches to commands, processes, threads and CPUs.
#include "collect/target_opener.h"

#include <set>

#include "collect/proc_snapshot.h"
#include "collect/target_tasks.h"

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

constexpr int kAttachRounds =
    16;  // threads may start while their process is attached to; each round finds fewer

}  // namespace

Result<std::vector<pid_t>> TargetOpener::Open(pid_t command) {
  switch (options.target.kind) {
    case model::TargetKind::kCommand:
      return OpenCommand(command);
    case model::TargetKind::kSystem:
    case model::TargetKind::kCpus:
      return OpenWholeCpus();
    default:
      return OpenTasks();
  }
}

Result<std::vector<pid_t>> TargetOpener::OpenCommand(pid_t command) {
  const EventSet::TaskOptions task{
      .sampling = !cpu_wide, .inherit = options.inherit, .enable_on_exec = true};
  processes.ExpectCommand(static_cast<std::uint32_t>(command));
  PROF_TRY(events.OpenRings(command, task, rings));
  PROF_TRY(events.OpenTask(command, task));
  if (cpu_wide) PROF_TRY(events.OpenCpuWide());
  return std::vector<pid_t>{command};
}

Result<std::vector<pid_t>> TargetOpener::OpenWholeCpus() {
  PROF_TRY(events.OpenRings(kEveryTask, {.inherit = false}, rings));
  PROF_TRY(events.OpenCpuWide());
  events.Enable(EventRole::kSideBand);
  for (const pid_t pid : ListProcesses(fs)) {
    const auto threads = ListThreads(fs, pid);
    if (!threads) continue;  // gone meanwhile
    for (const pid_t tid : *threads) {
      processes.AddThread(static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(tid),
                          ThreadName(fs, tid), kEveryTask);
    }
    if (const auto process = processes.FindProcess(static_cast<std::uint32_t>(pid)))
      SnapshotMappings(fs, threads->back(), process, processes);
  }
  return std::vector<pid_t>{};
}

void TargetOpener::Adopt(pid_t tid) {
  const auto pid = ProcessOf(fs, tid);
  if (!pid) return;
  const ThreadState& thread = processes.AddThread(
      static_cast<std::uint32_t>(*pid), static_cast<std::uint32_t>(tid), ThreadName(fs, tid), tid);
  if (thread.process->snapshot_ns == 0) SnapshotMappings(fs, tid, thread.process, processes);
}

// A task that is gone, or a first thread that ended before the others, is none to attach to.
Status TargetOpener::Attach(pid_t tid, std::vector<pid_t>& opened) {
  const EventSet::TaskOptions task{.inherit = options.inherit};
  Status status;
  if (!events.has_rings()) status = events.OpenRings(tid, task, rings);
  if (status) status = events.OpenTask(tid, task);
  if (!status && status.error().kind == ErrorKind::kNotFound) return {};
  PROF_TRY(status);
  opened.push_back(tid);
  return {};
}

// Threads that start while we attach inherit the events of their creator when that was attached
// already; those that are opened in a later round as well deliver twice and the reader drops the
// copies by origin, so none is missed and none counts twice.
Result<std::vector<pid_t>> TargetOpener::OpenTasks() {
  std::vector<pid_t> opened;
  std::set<pid_t> known;
  for (int round = 0; round < kAttachRounds; ++round) {
    auto wanted = ThreadsOf(options.target, options.inherit, fs);
    if (!wanted && round > 0) break;
    if (!wanted) return std::unexpected(wanted.error());
    std::erase_if(*wanted, [&known](pid_t tid) { return known.contains(tid); });
    if (wanted->empty()) break;
    for (const pid_t tid : *wanted) {
      if (known.insert(tid).second) PROF_TRY(Attach(tid, opened));  // named twice: once
    }
  }
  if (opened.empty())
    return Fail(ErrorKind::kNotFound, "the target ended before it could be attached to");
  events.Enable(EventRole::kSideBand);
  for (const pid_t tid : opened) Adopt(tid);
  return opened;
}

}  // namespace prof::collect
