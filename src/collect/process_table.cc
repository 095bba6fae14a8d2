// Applies side-band records to the processes and threads of the target.
#include "collect/process_table.h"

#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <utility>

namespace prof::collect {
namespace {

// Each event that a thread inherited from another origin announces its forks once more, with a
// time of its own.
constexpr std::uint64_t kSameForkNs = 1'000'000;

}  // namespace

void ProcessTable::Forget(ThreadState& thread) {
  observer_.OnThreadGone(thread);
  ProcessState& process = *thread.process;
  if (--process.threads != 0) return;
  modules_.ProcessGone(process.pid);
  const auto it = processes_.find(process.pid);
  if (it != processes_.end() && it->second == thread.process) processes_.erase(it);
}

std::shared_ptr<ThreadState> ProcessTable::InsertThread(std::uint32_t tid, ThreadState thread) {
  thread.stack_owner = ++last_stack_owner_;
  ++thread.process->threads;  // before Forget, which may be about the same process
  auto inserted = std::make_shared<ThreadState>(std::move(thread));
  std::shared_ptr<ThreadState>& entry = threads_[tid];
  if (entry != nullptr) Forget(*entry);  // the tid was reused
  if (entry == nullptr || entry->exited_ns != 0) ++live_threads_;
  entry = inserted;
  return inserted;
}

ThreadState& ProcessTable::AddThread(std::uint32_t pid, std::uint32_t tid, std::string name,
                                     pid_t origin) {
  std::shared_ptr<ProcessState>& process = processes_[pid];
  if (process == nullptr) {
    process = std::make_shared<ProcessState>();
    process->pid = pid;
  }
  return *InsertThread(tid, {.tid = tid,
                             .process = process,
                             .name = std::move(name),
                             .origin = origin,
                             .owns_events = static_cast<pid_t>(tid) == origin});
}

std::shared_ptr<ThreadState> ProcessTable::FindThread(std::uint32_t tid) const {
  const auto it = threads_.find(tid);
  return it == threads_.end() ? nullptr : it->second;
}

std::shared_ptr<ProcessState> ProcessTable::FindProcess(std::uint32_t pid) const {
  const auto it = processes_.find(pid);
  return it == processes_.end() ? nullptr : it->second;
}

model::Mapping ProcessTable::MappingOf(const MappedFileId& file, model::FileOffset offset) {
  const model::LoadedModule module = modules_.Load(file);
  if (modules_.module(module).kind == model::ModuleKind::kJit) offset = {file.start.value};
  if (modules_.module(module).kind == model::ModuleKind::kVdso) offset = {0};
  return {.start = file.start, .end = file.end, .file_offset = offset, .module = module};
}

// Its mappings are about to change.
void ProcessTable::Remember(const std::shared_ptr<ProcessState>& process) {
  if (!process->mappings.has_changes()) changed_.push_back(process);
}

void ProcessTable::ReplaceMappings(const std::shared_ptr<ProcessState>& process,
                                   std::uint64_t time_ns, model::AddressSpace space) {
  Remember(process);
  process->mappings.Replace(time_ns, std::make_shared<const model::AddressSpace>(std::move(space)));
}

void ProcessTable::Apply(const perf::MmapRecord& record) {
  const auto process = FindProcess(record.pid);
  if (process == nullptr || !record.executable || record.id.time_ns < process->snapshot_ns) return;
  Remember(process);
  process->mappings.Map(record.id.time_ns,
                        MappingOf({.path = record.path,
                                   .pid = record.pid,
                                   .start = {record.start},
                                   .end = {record.start + record.length},
                                   .build_id = record.build_id,
                                   .has_inode = record.has_inode,
                                   .device = makedev(record.device_major, record.device_minor),
                                   .inode = record.inode},
                                  {record.file_offset}));
}

// An execve ends all other threads of its process, the first one included, and takes that one's
// tid. Its own old tid never gets an EXIT record. Null when the process is not known.
std::shared_ptr<ThreadState> ProcessTable::TakeOverByExec(const perf::CommRecord& record) {
  const auto process = FindProcess(record.pid);
  if (process == nullptr) return nullptr;
  std::shared_ptr<ThreadState> caller;
  for (auto& [tid, thread] : threads_) {
    if (thread->process == process && tid != record.tid && thread->exited_ns == 0) caller = thread;
  }
  ThreadState taken{
      .tid = record.tid, .process = process, .origin = static_cast<pid_t>(command_pid_)};
  if (caller != nullptr) {
    taken.name = caller->name;
    taken.origin = caller->origin;
    // What it used before is reported at its end, under the new tid.
    taken.owns_events = std::exchange(caller->owns_events, false);
    End(*caller, record.id.time_ns);
  }
  std::shared_ptr<ThreadState> first = FindThread(record.tid);
  if (first == nullptr || (caller != nullptr && first->origin != taken.origin))
    return InsertThread(record.tid, std::move(taken));
  first->owns_events |= taken.owns_events;
  first->exited_ns = 0;
  ++live_threads_;
  return first;
}

void ProcessTable::Apply(const perf::CommRecord& record) {
  std::shared_ptr<ThreadState> thread = FindThread(record.tid);
  if (record.exec && record.tid == record.pid && (thread == nullptr || thread->exited_ns != 0))
    thread = TakeOverByExec(record);
  if (thread == nullptr) {
    const bool command = record.exec && record.pid == command_pid_;
    if (!command && following_ != Following::kEverybody) return;
    AddThread(record.pid, record.tid, std::string(record.comm), static_cast<pid_t>(command_pid_))
        .start_ns = record.id.time_ns;
    return;
  }
  // The snapshot has the names of the threads that it found; one that started meanwhile has only
  // its parent's.
  const bool in_snapshot = record.exec || thread->start_ns == model::kUnknownTime;
  if (in_snapshot && record.id.time_ns < thread->process->snapshot_ns) return;
  if (record.exec) {
    ReplaceMappings(thread->process, record.id.time_ns, {});
    thread->stack_owner = ++last_stack_owner_;
  }
  if (thread->former_names.empty()) renamed_.push_back(thread);
  observer_.OnRename(*thread, record.comm, record.id.time_ns, record.exec);
}

void ProcessTable::Apply(const perf::ForkRecord& record) {
  const auto parent = FindThread(record.parent_tid);
  if (following_ == Following::kNobody) return;
  if (parent == nullptr && following_ != Following::kEverybody) return;
  if (const auto known = FindThread(record.tid); known != nullptr && known->exited_ns == 0) {
    const bool seen_in_proc = known->process->snapshot_ns > record.time_ns;
    if (seen_in_proc || record.time_ns - known->start_ns < kSameForkNs)
      return;  // a thread found while attaching, or the same news again
  }
  ThreadState thread{.tid = record.tid, .start_ns = record.time_ns};
  if (parent != nullptr) {
    thread.name = parent->name;
    thread.origin = parent->origin;
    thread.process = parent->process;
  } else if (record.pid == record.parent_pid) {
    thread.process = FindProcess(record.pid);
  }
  if (record.pid != record.parent_pid || thread.process == nullptr) {
    auto process = std::make_shared<ProcessState>();
    process->pid = record.pid;
    process->start_ns = record.time_ns;
    if (parent != nullptr) {
      process->mappings = MappingHistory(parent->process->mappings.At(record.time_ns));
      process->parent = parent->process;
    }
    processes_[record.pid] = process;
    thread.process = std::move(process);
  }
  InsertThread(record.tid, std::move(thread));
}

void ProcessTable::Apply(const perf::ExitRecord& record) {
  const auto thread = FindThread(record.tid);
  if (thread != nullptr && thread->exited_ns == 0) End(*thread, record.time_ns);
}

void ProcessTable::End(ThreadState& thread, std::uint64_t time_ns) {
  thread.exited_ns = time_ns;
  --live_threads_;
  exited_.emplace_back(time_ns, thread.tid);
}

void ProcessTable::Apply(const perf::ReadRecord& record) {
  const auto thread = FindThread(record.tid);
  if (thread == nullptr) return;
  thread->used_ns += record.value;
  thread->process->used_ns += record.value;
}

void ProcessTable::Settle(std::uint64_t time_ns) {
  std::erase_if(changed_, [time_ns](const std::shared_ptr<ProcessState>& process) {
    process->mappings.Settle(time_ns);
    return !process->mappings.has_changes();
  });
  std::erase_if(renamed_, [this, time_ns](const std::shared_ptr<ThreadState>& thread) {
    observer_.OnNamesSettled(*thread, time_ns);
    return thread->former_names.empty();
  });
}

void ProcessTable::Purge(std::uint64_t time_ns) {
  std::size_t done = 0;
  for (; done < exited_.size() && exited_[done].first < time_ns; ++done) {
    const auto it = threads_.find(exited_[done].second);
    if (it == threads_.end() || it->second->exited_ns != exited_[done].first)
      continue;  // the tid was reused
    Forget(*it->second);
    threads_.erase(it);
  }
  exited_.erase(exited_.begin(), exited_.begin() + static_cast<std::ptrdiff_t>(done));
}

void ProcessTable::ForEachThread(const std::function<void(ThreadState&)>& visit) {
  for (auto& [tid, thread] : threads_) visit(*thread);
}

void SetName(ThreadState& thread, std::string_view name, std::uint64_t time_ns, bool exec) {
  thread.former_names.push_back({std::move(thread.name), time_ns, exec});
  thread.name = name;
}

void SettleNames(ThreadState& thread, std::uint64_t time_ns) {
  std::erase_if(thread.former_names,
                [time_ns](const FormerName& former) { return former.until_ns <= time_ns; });
}

}  // namespace prof::collect
