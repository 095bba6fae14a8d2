// Opens events on this thread or on the CPU of their PMU, and explains the refusals.
#include "perf/availability_probe.h"

#include <cerrno>
#include <string>
#include <utility>

#include "perf/generic_events.h"
#include "perf/pmu_events.h"

namespace prof::perf {
namespace {

// As prof record samples: by frequency, which also PMUs without an interrupt refuse.
perf_event_attr Sampled(perf_event_attr attr) {
  attr.freq = 1;
  attr.sample_freq = 1;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  return attr;
}

perf_event_attr UserOnly(perf_event_attr attr) {
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

}  // namespace

AvailabilityProbe::AvailabilityProbe(const HostFs& fs, const EventOpener& open)
    : open_(open), limits_(ReadKernelLimits(fs)) {
  for (const std::string& pmu : PmuNames(fs)) {
    core_pmu_ = core_pmu_ || IsCorePmu(pmu, fs);
    const auto type = fs.ReadNumber(PmuPath(pmu) + "/type");
    const auto mask = fs.ReadLine(PmuPath(pmu) + "/cpumask");
    if (!type || !mask) continue;
    const auto cpus = ParseCpuList(*mask);
    if (cpus && !cpus->empty()) first_cpu_[static_cast<std::uint32_t>(*type)] = cpus->front();
  }
}

AvailabilityProbe::Target AvailabilityProbe::TargetOf(const perf_event_attr& attr) const {
  const auto found = first_cpu_.find(attr.type);
  return found == first_cpu_.end() ? Target{} : Target{.tid = -1, .cpu = found->second};
}

AvailabilityProbe::Counted AvailabilityProbe::Count(const EventSpec& spec) const {
  Counted result{.availability = {}, .attr = spec.attr, .target = TargetOf(spec.attr)};
  result.attr.disabled = 1;
  const Target target = result.target;
  Availability& availability = result.availability;
  if (target.tid < 0) availability.scope = EventScope::kCpuWide;

  const OpenResult counted = open_(result.attr, target.tid, target.cpu);
  result.failure = counted.failure;
  if (counted.failure != OpenFailure::kNone) {
    Explain(counted, result.attr, target, availability);
    if (counted.failure != OpenFailure::kPermission || target.tid < 0) return result;
    const perf_event_attr user_only = UserOnly(result.attr);
    if (HappensInKernel(user_only)) return result;
    const OpenResult user = open_(user_only, target.tid, target.cpu);
    // Rights would not help where there is no such event.
    if (user.failure == OpenFailure::kNoSuchEvent) Explain(user, user_only, target, availability);
    result.failure = user.failure;
    if (user.failure != OpenFailure::kNone) return result;
    result.attr = user_only;
    availability.scope = EventScope::kUserOnly;
  }
  availability.can_count = true;
  return result;
}

Availability AvailabilityProbe::Of(const EventSpec& spec) const {
  Counted counted = Count(spec);
  Availability& availability = counted.availability;
  if (!availability.can_count) return std::move(availability);
  const perf_event_attr sampling = Sampled(counted.attr);
  const OpenResult sampled = open_(sampling, counted.target.tid, counted.target.cpu);
  availability.can_sample = sampled.failure == OpenFailure::kNone;
  if (!availability.can_sample) Explain(sampled, sampling, counted.target, availability);
  return std::move(availability);
}

Availability AvailabilityProbe::CountingOf(const EventSpec& spec) const {
  Counted counted = Count(spec);
  const bool member = spec.group >= 0 && !spec.group_leader;
  if (!member || counted.failure != OpenFailure::kInvalid) return std::move(counted.availability);
  Availability with_its_leader;
  with_its_leader.can_count = true;
  with_its_leader.scope = counted.availability.scope;
  return with_its_leader;
}

Availability AvailabilityProbe::OfKernelEvents() const {
  return Of(*FindGenericEvent("context-switches"));
}

void AvailabilityProbe::Explain(const OpenResult& result, const perf_event_attr& attr,
                                Target target, Availability& availability) const {
  const bool sampling = attr.sample_type != 0;
  Error error = ExplainOpenFailure(result, "", attr, target.tid, target.cpu, limits_,
                                   sampling ? EventUse::kSample : EventUse::kCount);
  if (result.failure == OpenFailure::kPermission) {
    const std::string hint = PermissionHint(attr, target);
    if (!hint.empty()) error.hint = hint;
  } else {
    error.hint.clear();  // about the event alone, not about a list of them
  }
  if (IsOfTheCores(attr) && result.error_number != EOPNOTSUPP &&
      result.failure == OpenFailure::kNoSuchEvent) {
    error.message = core_pmu_ ? "this CPU has no such event"
                              : "this machine has no hardware counters (virtual machines often "
                                "have none)";
  } else if (result.failure == OpenFailure::kInvalid && !sampling) {
    error.message = "the kernel refuses it alone; it may have to be in a group or need parameters";
  }
  availability.reason = std::move(error.message);
  availability.hint = std::move(error.hint);
}

// The setting that would let this user open it; nothing when rights are not what is missing.
std::string AvailabilityProbe::PermissionHint(const perf_event_attr& attr, Target target) const {
  int enough = 0;
  if (limits_.privileged) return "";
  if (limits_.paranoid > 2) {
    enough = 2;
  } else if (target.tid < 0 && !limits_.MayUseCpuWide()) {
    enough = 0;
  } else if (attr.exclude_kernel == 0 && !limits_.MaySampleKernel()) {
    enough = 1;
  } else {
    return "";
  }
  return "run as root, or: sudo sysctl kernel.perf_event_paranoid=" + std::to_string(enough);
}

std::vector<Availability> ProbeCounting(const std::vector<std::vector<EventSpec>>& sets,
                                        const HostFs& fs, const EventOpener& open) {
  const AvailabilityProbe probe(fs, open);
  std::vector<Availability> result;
  for (const std::vector<EventSpec>& set : sets) {
    Availability whole;
    whole.can_count = true;
    for (const EventSpec& spec : set) {
      Availability one = probe.CountingOf(spec);
      if (!one.can_count) {
        whole = std::move(one);
        break;
      }
      if (whole.scope == EventScope::kAny) whole = std::move(one);
    }
    result.push_back(std::move(whole));
  }
  return result;
}

}  // namespace prof::perf
