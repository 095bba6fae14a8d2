// The open counters of one run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collect/counting/count_plan.h"

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/perf/event_open.h"

namespace prof::collect {

// A thread on all CPUs (cpu is -1), or everything on a CPU (tid is -1).
struct CounterSpot {
  pid_t tid = -1;
  int cpu = -1;
};

// What one counter says, its descendants' counts included.
struct CounterValue {
  std::size_t index = 0;  // of the plan
  CounterSpot spot;
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

// Owned by one run, one thread.
class CounterSet {
 public:
  struct Failure {
    std::size_t index = 0;  // of the plan
    Error error;            // its message does not name the event
  };
  // Opens every counter of the plan that is not refused: at each of `spots`, or on the CPUs of its
  // PMU. One that cannot be opened everywhere is opened nowhere and returned with the reason, with
  // the rest of its group; threads that have ended are passed over. `command` is the own child
  // among the spots, which cannot be the reason, or 0.
  std::vector<Failure> Open(const CountPlan& plan, std::span<const CounterSpot> spots,
                            pid_t command, const perf::KernelLimits& limits);
  // Enables or disables all, with those that tasks have inherited.
  void Enable(const CountPlan& plan) const;
  void Disable(const CountPlan& plan) const;
  // Enables those that the command's exec does not.
  void EnableUnlessByExec(const CountPlan& plan) const;
  // All counters, by index of the plan.
  [[nodiscard]] std::vector<CounterValue> Read() const;

 private:
  struct Counter {
    UniqueFd fd;
    std::size_t index;
    CounterSpot spot;
    std::size_t place;  // among the spots of its event
  };
  std::optional<Error> OpenEverywhere(const CountPlan& plan, std::size_t index,
                                      std::span<const CounterSpot> spots, pid_t command,
                                      const perf::KernelLimits& limits);
  [[nodiscard]] std::optional<int> LeaderFd(std::size_t leader, std::size_t place) const;

  std::vector<Counter> counters_;  // by index, then place
};

}  // namespace prof::collect
