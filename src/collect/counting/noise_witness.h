// Reads what disturbs a run from the kernel: model::RunNoise says what each number means.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "prof/base/host_fs.h"
#include "prof/model/run.h"

namespace prof::collect {

// Totals of the whole machine since it started, in nanoseconds; model::kNotKnown where this kernel
// does not tell.
struct MachineState {
  std::uint64_t busy = model::kNotKnown;   // user and system time of all CPUs, interrupts included
  std::uint64_t steal = model::kNotKnown;  // both in clock ticks' resolution
  std::uint64_t cpu_pressure = model::kNotKnown;
  std::uint64_t io_pressure = model::kNotKnown;
  std::uint64_t memory_pressure = model::kNotKnown;
};
MachineState ReadMachineState(const HostFs& fs);

// after - before, where both are known; 0 where a counter went backwards (/proc/stat may).
std::uint64_t KnownDifference(std::uint64_t before, std::uint64_t after);

// Fills the numbers of the whole machine. `target_cpu_ns` is the CPU time the target used, or
// kNotKnown.
void AddMachineNoise(const MachineState& before, const MachineState& after,
                     std::uint64_t target_cpu_ns, model::RunNoise& noise);

// How long a thread has been ready to run and had no CPU, also of one that has ended and was not
// waited for.
std::uint64_t RunQueueWaitNs(const HostFs& fs, pid_t tid);

// The mean of the CPUs' current frequencies; of 8 of them, evenly spread, on larger machines.
std::uint64_t MeanFrequencyKhz(const HostFs& fs);

}  // namespace prof::collect
