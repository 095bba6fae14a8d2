// Splits the counters of origins over tasks and sums CPU time by command name.
#include "collect/cpu_accounting.h"

namespace prof::collect {

std::uint64_t CpuAccounting::UnreportedNs(pid_t origin) const {
  const auto reported = reported_ns_.find(origin);
  std::uint64_t known_ns = reported == reported_ns_.end() ? 0 : reported->second;
  processes_.ForEachThread([&](const ThreadState& thread) {
    if (thread.origin == origin) known_ns += thread.used_ns;
  });
  const std::uint64_t total_ns = counted_ns_(origin);
  return total_ns > known_ns ? total_ns - known_ns : 0;
}

void CpuAccounting::ThreadGone(ThreadState& thread) {
  if (thread.owns_events) {
    const std::uint64_t own_ns = UnreportedNs(thread.origin);
    thread.used_ns += own_ns;
    thread.process->used_ns += own_ns;
  }
  reported_ns_[thread.origin] += thread.used_ns;
  Add(thread);
  thread.used_ns = 0;  // it is in reported_ns_ now
}

// Children first, so that the rest of an origin's counter is its own.
void CpuAccounting::TakeLiving(const std::function<std::uint64_t(pid_t tid)>& used_so_far_ns) {
  std::vector<ThreadState*> children, origins;
  processes_.ForEachThread(
      [&](ThreadState& thread) { (thread.owns_events ? origins : children).push_back(&thread); });
  for (ThreadState* thread : children) {
    if (thread->exited_ns == 0 && thread->start_ns != model::kUnknownTime) {
      thread->used_ns = used_so_far_ns(static_cast<pid_t>(thread->tid));
      thread->process->used_ns += thread->used_ns;
    }
    ThreadGone(*thread);
  }
  for (ThreadState* thread : origins) ThreadGone(*thread);
}

void CpuAccounting::Add(const ThreadState& thread) {
  model::CpuUsage& usage = by_comm_[thread.name];
  usage.used_ns += thread.used_ns;
  usage.sampled_ns += thread.sampled_ns;
  if (thread.exiting_sampled_ns != 0) exiting_ns_[thread.name] += thread.exiting_sampled_ns;
  ProcessState& process = *thread.process;
  if (thread.tid != process.pid || process.accounted) return;
  process.accounted = true;
  ++usage.processes;
  if (process.samples != 0) return;
  ++usage.unsampled_processes;
  usage.unsampled_used_ns += process.used_ns;
}

void CpuAccounting::ShareRest(std::uint64_t rest_ns) {
  const auto weight_of = [this](const std::string& comm, const model::CpuUsage& usage) {
    if (exiting_ns_.empty()) return static_cast<double>(usage.processes);
    const auto found = exiting_ns_.find(comm);
    return found == exiting_ns_.end() ? 0 : static_cast<double>(found->second);
  };
  double total = 0;
  for (const auto& [comm, usage] : by_comm_) total += weight_of(comm, usage);
  if (total == 0) return;
  for (auto& [comm, usage] : by_comm_) {
    const double share = static_cast<double>(rest_ns) * weight_of(comm, usage) / total;
    usage.used_ns += static_cast<std::uint64_t>(share);
    if (usage.unsampled_processes == 0 || !exiting_ns_.empty()) continue;
    usage.unsampled_used_ns +=
        static_cast<std::uint64_t>(share * static_cast<double>(usage.unsampled_processes) /
                                   static_cast<double>(usage.processes));
  }
}

std::vector<model::CpuUsage> CpuAccounting::Usage() const {
  std::vector<model::CpuUsage> result;
  for (const auto& [comm, usage] : by_comm_) {
    result.push_back(usage);
    result.back().comm = comm;
  }
  return result;
}

}  // namespace prof::collect
