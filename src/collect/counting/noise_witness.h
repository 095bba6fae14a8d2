// Reads what disturbs a run from the kernel: model::RunNoise says what each number means.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collect/machine_times.h"

#include "prof/base/host_fs.h"
#include "prof/model/run.h"

namespace prof::collect {

// Totals of the whole machine since it started, in nanoseconds; model::kNotKnown where this kernel
// does not tell.
struct MachineState {
  MachineTimes times;
  std::uint64_t cpu_pressure = model::kNotKnown;
  std::uint64_t io_pressure = model::kNotKnown;
  std::uint64_t memory_pressure = model::kNotKnown;
};
MachineState ReadMachineState(const HostFs& fs);

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
