// CPU time used by the target's tasks, by their last names, beside what was sampled of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collect/process_table.h"

#include "prof/model/record.h"

namespace prof::collect {

class CpuAccounting {
 public:
  // A thread whose CPU time is final.
  void AddThread(const ThreadState& thread);
  // Time that the target used and no counter saw. Linux takes a task's events away before it tears
  // down the task's memory (since 6.16), so this is the end of processes: shared out by the samples
  // of CPU-wide events that met it, and where there are none by the number of processes.
  void ShareRest(std::uint64_t rest_ns);
  [[nodiscard]] std::uint64_t used_ns() const;
  [[nodiscard]] std::vector<model::CpuUsage> Usage() const;

 private:
  std::map<std::string, model::CpuUsage> by_comm_;
  std::map<std::string, std::uint64_t> exiting_ns_;
};

}  // namespace prof::collect
