// Chooses what to sample within the rights and the hardware at hand.
#include "collect/event_fallback.h"

#include <unistd.h>

#include <algorithm>

#include "collect/event_rights.h"

namespace prof::collect {
namespace {

bool CyclesWork() {
  perf_event_attr attr = perf::CyclesEvent().attr;
  attr.size = sizeof attr;
  attr.disabled = 1;
  attr.exclude_kernel = attr.exclude_hv = 1;
  attr.sample_period = 1'000'000;
  return perf::OpenEvent(attr, 0, -1).failure == perf::OpenFailure::kNone;
}

// Of an event that ticks in every process alike, other processes are no harm on the same counter;
// the frequency of a rare one (page faults, cache misses) would be set by whoever causes most of
// them.
bool RunsAllTheTime(const perf::EventSpec& event) {
  const auto& attr = event.attr;
  return (attr.type == PERF_TYPE_SOFTWARE && attr.config == PERF_COUNT_SW_CPU_CLOCK) ||
         (attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_CPU_CYCLES);
}

}  // namespace

void ChooseDefaultEvent(RecordOptions& options, std::vector<std::string>& notes) {
  if (!options.events.empty()) return;
  if (CyclesWork()) {
    options.events.push_back(perf::CyclesEvent());
    return;
  }
  perf::EventSpec clock = perf::CpuClockEvent();
  clock.attr.exclude_idle = 1;
  clock.desc.replaces = "cycles";
  clock.desc.replaced_because = "no hardware counters on this machine";
  options.events.push_back(clock);
  notes.push_back("sampling cpu-clock instead of cycles: " + clock.desc.replaced_because);
}

Status CheckPermissions(const RecordOptions& options, const perf::KernelLimits& limits) {
  const auto kind = options.target.kind;
  const bool whole_cpus = kind == model::TargetKind::kSystem || kind == model::TargetKind::kCpus;
  if (whole_cpus && !limits.MayUseCpuWide()) {
    return Fail(ErrorKind::kPermission,
                "sampling all processes of a CPU is not permitted: " + ParanoidText(limits),
                "run as root, or: sudo sysctl kernel.perf_event_paranoid=0");
  }
  for (const perf::EventSpec& event : options.events) {
    const bool kernel_only = event.attr.exclude_user != 0 || options.all_kernel ||
                             (HappensInKernelOnly(event) && event.attr.exclude_kernel == 0);
    if (kernel_only && !limits.MaySampleKernel()) {
      return Fail(
          ErrorKind::kPermission,
          event.desc.name + ": sampling the kernel is not permitted: " + ParanoidText(limits),
          "run as root, or: sudo sysctl kernel.perf_event_paranoid=1");
    }
  }
  return {};
}

bool UseCpuWide(const RecordOptions& options, const perf::KernelLimits& limits) {
  if (options.target.kind != model::TargetKind::kCommand || !options.inherit) return false;
  if (options.cpu_wide) return *options.cpu_wide;
  return limits.MayUseCpuWide() && std::ranges::all_of(options.events, RunsAllTheTime);
}

}  // namespace prof::collect
