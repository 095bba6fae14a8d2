// Finds out by opening whether an event can be counted and sampled here and by this user.
#pragma once

#include <map>
#include <optional>

#include "prof/perf/event_catalog.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {

class AvailabilityProbe {
 public:
  AvailabilityProbe(const HostFs& fs, const EventOpener& open);

  // Opens `spec`, whatever its modifiers, for counting and for sampling.
  [[nodiscard]] Availability Of(const EventSpec& spec) const;
  // For counting alone, as one of several: the kernel may refuse a member of a group that stands
  // alone (topdown-retiring without slots), which then says nothing.
  [[nodiscard]] Availability CountingOf(const EventSpec& spec) const;
  // Of all that happens in the kernel: tracepoints and probes.
  [[nodiscard]] Availability OfKernelEvents() const;

 private:
  // Where an event is opened: this thread anywhere, or everything on a CPU.
  struct Target {
    pid_t tid = 0;
    int cpu = -1;
  };
  // Counts, and what is left to sample of when that succeeds.
  struct Counted {
    Availability availability;
    perf_event_attr attr{};
    Target target;
    OpenFailure failure = OpenFailure::kNone;
  };
  [[nodiscard]] Counted Count(const EventSpec& spec) const;
  [[nodiscard]] Target TargetOf(const perf_event_attr& attr) const;
  // What is missing, in the words of ExplainOpenFailure where these fit a list of events.
  void Explain(const OpenResult& result, const perf_event_attr& attr, Target target,
               Availability& availability) const;
  [[nodiscard]] std::string PermissionHint(const perf_event_attr& attr, Target target) const;

  const EventOpener& open_;
  KernelLimits limits_;
  std::map<std::uint32_t, int> first_cpu_;  // by type, of PMUs that only count whole CPUs
  bool core_pmu_ = false;                   // sysfs has one for the CPUs themselves
};

}  // namespace prof::perf
