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
  // Time of tasks whose own end was not reported (they still run, or the kernel reports none): see
  // RecordSession::Close.
  void AddRest(const std::string& comm, std::uint64_t used_ns) {
    by_comm_[comm].used_ns += used_ns;
  }
  [[nodiscard]] std::uint64_t used_ns() const;
  [[nodiscard]] std::vector<model::CpuUsage> Usage() const;

 private:
  std::map<std::string, model::CpuUsage> by_comm_;
};

}  // namespace prof::collect
