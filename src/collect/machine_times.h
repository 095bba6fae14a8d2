// CPU times of the whole machine, and what else it did while prof recorded.
#pragma once

#include <cstdint>

#include "prof/base/host_fs.h"
#include "prof/model/record.h"

namespace prof::collect {

// Totals of all CPUs since the machine started, in nanoseconds, in clock ticks' resolution;
// model::kNotKnown where this kernel does not tell.
struct MachineTimes {
  std::uint64_t busy = model::kNotKnown;   // user and system time, interrupts included
  std::uint64_t steal = model::kNotKnown;  // taken by the hypervisor
};
MachineTimes ReadMachineTimes(const HostFs& fs);

// after - before, where both are known; 0 where a counter went backwards (/proc/stat may).
std::uint64_t KnownDifference(std::uint64_t before, std::uint64_t after);

// What others used of the time that the machine was busy; kNotKnown where one of them is, 0 where
// the ticks were too coarse.
std::uint64_t OtherCpuNs(std::uint64_t busy_ns, std::uint64_t own_ns);

// Measures RecordingEnd::other_cpu_ns and steal_ns: Begin, End, Report. Without End nothing is
// known.
class LoadMeter {
 public:
  // `target_cpu_ns`: what the target has used so far, as the same counters say it that Report's
  // comes from.
  void Begin(const HostFs& fs, std::uint64_t target_cpu_ns);
  void End(const HostFs& fs);
  // `target_cpu_ns` may be kNotKnown: then others' time is not known either.
  void Report(std::uint64_t target_cpu_ns, model::RecordingEnd& end) const;

 private:
  struct Reading {
    MachineTimes machine;
    std::uint64_t prof_cpu_ns = 0;
  };
  static Reading Read(const HostFs& fs);

  Reading begin_, end_;
  std::uint64_t target_before_ns_ = 0;
};

}  // namespace prof::collect
