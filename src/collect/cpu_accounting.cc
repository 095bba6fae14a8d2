// Sums CPU time by command name.
#include "collect/cpu_accounting.h"

namespace prof::collect {

void CpuAccounting::AddThread(const ThreadState& thread) {
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
