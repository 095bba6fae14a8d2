// Turns recording options into perf_event_attr values.
#include "collect/attr_plan.h"

#include <algorithm>
#include <ctime>

#include "collect/event_rights.h"

#include "prof/unwind/stack_unwinder.h"

namespace prof::collect {
namespace {

constexpr std::uint64_t kDefaultHz = 997;        // a prime: no lockstep with periodic work
constexpr std::uint32_t kMaxDumpBytes = 65'528;  // sample_stack_user is a multiple of 8 below 64 KB
constexpr std::uint32_t kNoFrequencyDumpBytes = 8 * 1024;

void SetCommon(perf_event_attr& attr) {
  attr.size = sizeof attr;
  attr.disabled = 1;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.read_format =
      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
  attr.watermark = 1;
}

// Tracepoints and breakpoints are rare and each hit matters: every one is a sample unless a rate
// was asked for.
bool DefaultsToEveryHit(const perf::EventSpec& spec) {
  return spec.tracepoint || spec.attr.type == PERF_TYPE_BREAKPOINT;
}

struct Rate {
  bool frequency = false;
  std::uint64_t value = 0;
};

Rate RateOf(const perf::EventSpec& spec, const RecordOptions& options,
            const perf::KernelLimits& limits) {
  if (spec.attr.sample_period != 0)
    return {spec.attr.freq != 0, spec.attr.sample_period};  // in the event's text
  if (options.period) return {false, *options.period};
  if (options.max_frequency) return {true, limits.max_sample_rate};
  if (options.frequency_hz) return {true, *options.frequency_hz};
  if (DefaultsToEveryHit(spec)) return {false, 1};
  return {true, kDefaultHz};
}

void SetRate(PlannedEvent& event, Rate rate, const perf::KernelLimits& limits, AttrPlan& plan) {
  if (rate.frequency && rate.value > limits.max_sample_rate) {
    plan.notes.push_back(
        "rate of " + event.desc.name + " lowered from " + std::to_string(rate.value) + " to " +
        std::to_string(limits.max_sample_rate) + " Hz (kernel.perf_event_max_sample_rate)");
    rate.value = limits.max_sample_rate;
  }
  event.attr.freq = rate.frequency ? 1 : 0;
  event.attr.sample_freq = rate.value;  // shares its memory with sample_period
  event.desc.mode = rate.frequency ? model::SamplingMode::kFrequency : model::SamplingMode::kPeriod;
  event.desc.sampling_value = rate.value;
  if (!rate.frequency) plan.any_without_frequency = true;
}

void SetPrivilegeLevels(PlannedEvent& event, const RecordOptions& options,
                        const perf::KernelLimits& limits) {
  auto& attr = event.attr;
  LeaveGuestsOut(attr);
  if (options.all_user) attr.exclude_kernel = attr.exclude_hv = 1;
  if (options.all_kernel) attr.exclude_user = 1;
  RestrictToRights(attr, event.desc, limits);
}

void SetSampleType(PlannedEvent& event, const RecordOptions& options, const AttrPlan& plan) {
  auto& attr = event.attr;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
  if (event.leader_sampling) {
    attr.sample_type |= PERF_SAMPLE_READ;
    attr.read_format |= PERF_FORMAT_GROUP;
  }
  if (options.call_graph == model::CallGraphMode::kNone) return;
  attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
  attr.exclude_callchain_kernel = attr.exclude_kernel;
  if (options.call_graph == model::CallGraphMode::kFramePointers) {
    attr.sample_max_stack = static_cast<std::uint16_t>(plan.chain_frames);
    return;
  }
  attr.exclude_callchain_user = 1;  // the user part is unwound from the stack copy
  if (attr.exclude_user) return;
  attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr.sample_regs_user = unwind::RequiredUserRegisters();
}

// The kernel walks frame pointers up to a limit of its own (get_perf_callchain()). A depth that was
// not asked for is lowered silently: reports say where that cut stacks.
void SetChainLimits(const RecordOptions& options, const perf::KernelLimits& limits,
                    AttrPlan& plan) {
  plan.chain_contexts = limits.max_contexts;
  if (options.call_graph != model::CallGraphMode::kFramePointers) return;
  constexpr std::uint32_t kMost = 65'535;  // sample_max_stack has 16 bits
  plan.chain_frames = std::min({options.max_stack, limits.max_stack, kMost});
  if (options.max_stack <= plan.chain_frames || options.max_stack == RecordOptions{}.max_stack)
    return;
  plan.notes.push_back("--max-stack lowered from " + std::to_string(options.max_stack) + " to " +
                       std::to_string(plan.chain_frames) + " frames (kernel.perf_event_max_stack)");
}

Result<PlannedEvent> PlanEvent(const perf::EventSpec& spec, const RecordOptions& options,
                               const perf::KernelLimits& limits,
                               const perf::KernelFeatures& features, bool cpu_wide,
                               AttrPlan& plan) {
  PlannedEvent event{.attr = spec.attr,
                     .desc = spec.desc,
                     .group = spec.group,
                     .group_leader = spec.group_leader,
                     .leader_sampling = spec.leader_sampling && spec.group_leader,
                     .read_member = spec.leader_sampling && !spec.group_leader,
                     .precise_max = spec.precise_max,
                     .filter = spec.filter};
  const bool inherit = options.inherit && !cpu_wide;
  if (spec.leader_sampling && inherit && !features.inherit_group_read) {
    return Fail(ErrorKind::kUnsupported,
                "group sampling (:S) of a target with children needs Linux 6.12",
                "add -i (the first thread only), or -a");
  }
  SetCommon(event.attr);
  if (options.readers.pinned) {
    event.attr.watermark = 0;
    event.attr.wakeup_events = 1;
  }
  event.attr.inherit = inherit ? 1 : 0;
  event.attr.enable_on_exec =
      !cpu_wide && options.target.kind == model::TargetKind::kCommand && options.delay_ms == 0 ? 1
                                                                                               : 0;
  if (spec.group >= 0 && !spec.group_leader)
    event.attr.disabled = event.attr.enable_on_exec = 0;  // follow the leader
  if (features.read_lost) event.attr.read_format |= PERF_FORMAT_LOST;
  SetPrivilegeLevels(event, options, limits);
  if (event.read_member) {
    event.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                             PERF_SAMPLE_CPU | PERF_SAMPLE_READ;
    event.attr.sample_period = 0;
    event.attr.read_format |= PERF_FORMAT_GROUP;
  } else {
    SetRate(event, RateOf(spec, options, limits), limits, plan);
    SetSampleType(event, options, plan);
  }
  event.desc.attr_type = event.attr.type;
  event.desc.attr_config = event.attr.config;
  return event;
}

}  // namespace

std::uint32_t DefaultDumpBytes(std::uint64_t total_hz, bool any_without_frequency) {
  if (any_without_frequency) return kNoFrequencyDumpBytes;
  if (total_hz <= 1000) return kMaxDumpBytes;
  return total_hz <= 4000 ? 32 * 1024 : 16 * 1024;
}

void SetDumpBytes(AttrPlan& plan, std::uint32_t dump_bytes) {
  plan.dump_bytes = dump_bytes;
  for (PlannedEvent& event : plan.events) {
    if ((event.attr.sample_type & PERF_SAMPLE_STACK_USER) != 0)
      event.attr.sample_stack_user = dump_bytes;
  }
}

Result<AttrPlan> PlanAttrs(const RecordOptions& options, const perf::KernelLimits& limits,
                           const perf::KernelFeatures& features, bool cpu_wide) {
  AttrPlan plan;
  SetChainLimits(options, limits, plan);
  std::uint64_t total_hz = 0;
  std::int32_t leader = -1;
  for (const perf::EventSpec& spec : options.events) {
    PROF_TRY_ASSIGN(PlannedEvent event, PlanEvent(spec, options, limits, features, cpu_wide, plan));
    const auto id = static_cast<std::int32_t>(plan.events.size());
    if (spec.group_leader) leader = id;
    if (spec.group >= 0 && !spec.group_leader) event.desc.group_leader = leader;
    if (event.attr.freq) total_hz += event.attr.sample_freq;
    plan.events.push_back(std::move(event));
  }
  if (options.call_graph == model::CallGraphMode::kAuto ||
      options.call_graph == model::CallGraphMode::kDwarf) {
    plan.dump_by_rate = options.dump_bytes == 0;
    SetDumpBytes(plan, plan.dump_by_rate ? DefaultDumpBytes(total_hz, plan.any_without_frequency)
                                         : std::min(options.dump_bytes, kMaxDumpBytes) / 8 * 8);
  }
  return plan;
}

perf_event_attr SideBandAttr(const perf::KernelFeatures& features, bool inherit,
                             bool enable_on_exec) {
  perf_event_attr attr{};
  SetCommon(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
  attr.build_id = features.build_id ? 1 : 0;
  attr.exclude_kernel = attr.exclude_hv =
      1;  // mmap of user mappings only, and permitted to everybody
  attr.inherit = inherit ? 1 : 0;
  attr.enable_on_exec = enable_on_exec ? 1 : 0;
  return attr;
}

perf_event_attr CpuTimeAttr(bool enable_on_exec) {
  perf_event_attr attr{};
  SetCommon(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attr.exclude_kernel = attr.exclude_hv =
      1;  // a task clock counts all time all the same; permitted to everybody
  attr.inherit = attr.inherit_stat = 1;
  // When a CPU switches between two tasks of a family, the kernel exchanges the counts of their
  // inherit_stat events by position in the tasks' lists of events (perf_event_sync_stat). An
  // inherited list is ordered by pinned, CPU, PMU; the first task's by opening. Pinned and opened
  // before all others, these counters are at the same place in both; else counts go astray.
  attr.pinned = 1;
  attr.enable_on_exec = enable_on_exec ? 1 : 0;
  return attr;
}

}  // namespace prof::collect
