// CPU time used by the target's tasks, by their last names, beside what was sampled of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/process_table.h"

#include "prof/model/record.h"

namespace prof::collect {

// A counter opened on a task counts its children too. The kernel says what each child used when it
// ends; the rest of the counter is what the task itself used, and what children that still run did.
class CpuAccounting {
 public:
  // `counted_ns` reads the counter of an origin.
  CpuAccounting(ProcessTable& processes, std::function<std::uint64_t(pid_t origin)> counted_ns)
      : processes_(processes), counted_ns_(std::move(counted_ns)) {}

  // A thread that ended, all of whose records have been applied.
  void ThreadGone(ThreadState& thread);
  // Takes all threads that are there when the recording ends. `used_so_far_ns` says what a running
  // child used; it is not asked about those whose start was not seen.
  void TakeLiving(const std::function<std::uint64_t(pid_t tid)>& used_so_far_ns);
  // Time that the target used and no counter saw. Linux takes a task's events away before it tears
  // down the task's memory (since 6.16), so this is the end of processes: shared out by the samples
  // of CPU-wide events that met it, and where there are none by the number of processes.
  void ShareRest(std::uint64_t rest_ns);
  [[nodiscard]] std::vector<model::CpuUsage> Usage() const;

 private:
  [[nodiscard]] std::uint64_t UnreportedNs(pid_t origin) const;
  void Add(const ThreadState& thread);

  ProcessTable& processes_;
  std::function<std::uint64_t(pid_t)> counted_ns_;
  std::unordered_map<pid_t, std::uint64_t> reported_ns_;  // of ended tasks, by origin
  std::map<std::string, model::CpuUsage> by_comm_;
  std::map<std::string, std::uint64_t> exiting_ns_;
};

}  // namespace prof::collect
