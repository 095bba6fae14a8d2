// Sums CPU time by command name.
#include "collect/cpu_accounting.h"

namespace prof::collect {

void CpuAccounting::AddThread(const ThreadState& thread) {
  model::CpuUsage& usage = by_comm_[thread.name];
  usage.used_ns += thread.used_ns;
  usage.sampled_ns += thread.sampled_ns;
  ProcessState& process = *thread.process;
  if (thread.tid != process.pid || process.accounted) return;
  process.accounted = true;
  ++usage.processes;
  if (process.samples != 0) return;
  ++usage.unsampled_processes;
  usage.unsampled_used_ns += process.used_ns;
}

std::uint64_t CpuAccounting::used_ns() const {
  std::uint64_t total = 0;
  for (const auto& [comm, usage] : by_comm_) total += usage.used_ns;
  return total;
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
