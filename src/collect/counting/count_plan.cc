// Turns event specifications into counters.
#include "collect/counting/count_plan.h"

#include <cstdint>

#include "collect/event_rights.h"

namespace prof::collect {
namespace {

constexpr const char* kPmus = "/sys/bus/event_source/devices/";

// Generic hardware events of one kind of core carry its PMU in the upper half of config.
std::uint32_t PmuTypeOf(const perf_event_attr& attr) {
  const bool generic = attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE;
  return generic ? static_cast<std::uint32_t>(attr.config >> 32) : attr.type;
}

// Where the kernel says that a PMU counts. Types below PERF_TYPE_MAX are those of every core.
void FindCpus(PlannedCounter& counter, const HostFs& fs) {
  const std::uint32_t type = PmuTypeOf(counter.attr);
  if (type < PERF_TYPE_MAX) return;
  const auto pmus = fs.ListDir(kPmus);
  if (!pmus) return;
  for (const std::string& pmu : *pmus) {
    const std::string folder = kPmus + pmu;
    const auto number = fs.ReadNumber(folder + "/type");
    if (!number || *number != type) continue;
    const auto mask = fs.ReadLine(folder + "/cpumask");
    const auto cores = fs.ReadLine(folder + "/cpus");
    const auto& text = mask ? mask : cores;
    if (!text) return;
    const auto cpus = perf::ParseCpuList(*text);
    if (!cpus) return;
    counter.cpus = *cpus;
    counter.outside_cores = mask.has_value();
    return;
  }
}

// The task clocks count all of a task's time, whatever is excluded.
bool IsClock(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_SOFTWARE &&
         (attr.config == PERF_COUNT_SW_CPU_CLOCK || attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

void SetRights(PlannedCounter& counter, const perf::KernelLimits& limits) {
  LeaveGuestsOut(counter.attr);
  const std::string name = counter.desc.name;
  const bool kernel_too = counter.attr.exclude_kernel == 0;
  RestrictToRights(counter.attr, counter.desc, limits);
  if (!IsClock(counter.attr) || !kernel_too) return;
  counter.desc.name = name;
  counter.desc.restriction.clear();
  counter.desc.excludes_kernel = false;
}

bool IsCommand(const CountOptions& options) {
  return options.target.kind == model::TargetKind::kCommand;
}

void SetCounting(perf_event_attr& attr, const CountOptions& options, bool follows_leader) {
  attr.size = sizeof attr;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  // What only sampling has: a text may give it (cpu/...,period=N/, :p), and for a counter the
  // kernel refuses it or takes interrupts for nothing.
  attr.sample_period = 0;
  attr.freq = 0;
  attr.precise_ip = 0;
  const bool whole_cpus = options.target.kind == model::TargetKind::kSystem ||
                          options.target.kind == model::TargetKind::kCpus;
  const bool per_task = !whole_cpus || options.split == CountSplit::kThread;
  attr.inherit = options.inherit && per_task ? 1 : 0;
  attr.disabled = follows_leader ? 0 : 1;
  attr.enable_on_exec = IsCommand(options) && options.delay_ms == 0 && !follows_leader ? 1 : 0;
}

PlannedCounter PlanOne(const perf::EventSpec& spec, const CountOptions& options,
                       const perf::KernelLimits& limits, const HostFs& fs) {
  PlannedCounter counter{.attr = spec.attr, .desc = spec.desc, .filter = spec.filter};
  SetCounting(counter.attr, options, spec.group >= 0 && !spec.group_leader);
  FindCpus(counter, fs);
  if (counter.outside_cores) {
    // It belongs to CPUs, not to tasks, so nobody inherits it and no exec enables it.
    counter.attr.inherit = 0;
    counter.attr.enable_on_exec = 0;
  } else {
    SetRights(counter, limits);
  }
  counter.desc.precise = 0;
  counter.desc.attr_type = counter.attr.type;
  counter.desc.attr_config = counter.attr.config;
  return counter;
}

PlannedCounter Migrations(const CountOptions& options) {
  PlannedCounter counter;
  counter.desc.name = "cpu-migrations";
  counter.attr.type = PERF_TYPE_SOFTWARE;
  counter.attr.config = PERF_COUNT_SW_CPU_MIGRATIONS;
  SetCounting(counter.attr, options, false);
  return counter;
}

bool CountsAllMigrations(const PlannedCounter& counter) {
  return counter.attr.type == PERF_TYPE_SOFTWARE &&
         counter.attr.config == PERF_COUNT_SW_CPU_MIGRATIONS && counter.attr.exclude_kernel == 0 &&
         counter.attr.exclude_user == 0 && counter.desc.refused.empty();
}

// An event of the kernel alone would show 0 once the kernel is left out: a wrong number.
std::string WhyNothingToCount(const perf::EventSpec& spec, const perf::KernelLimits& limits) {
  if (limits.MaySampleKernel()) return {};
  if (spec.attr.exclude_user != 0)
    return "counting the kernel is not permitted (" + ParanoidText(limits) + ")";
  if (HappensInKernelOnly(spec) && spec.attr.exclude_kernel == 0) {
    return "it happens in the kernel, and counting that is not permitted (" + ParanoidText(limits) +
           ")";
  }
  return {};
}

}  // namespace

CountPlan PlanCounters(const CountOptions& options, const perf::KernelLimits& limits,
                       const HostFs& fs) {
  CountPlan plan;
  plan.wanted = options.events.size();
  std::optional<std::size_t> leader;
  for (const perf::EventSpec& spec : options.events) {
    PlannedCounter counter = PlanOne(spec, options, limits, fs);
    const std::size_t index = plan.counters.size();
    if (spec.group_leader) leader = index;
    if (spec.group >= 0 && !spec.group_leader && leader) {
      counter.leader = leader;
      counter.desc.group_leader = static_cast<std::int32_t>(*leader);
    }
    plan.counters.push_back(std::move(counter));
  }
  for (std::size_t index = 0; index < plan.wanted; ++index) {
    const std::string reason = WhyNothingToCount(options.events[index], limits);
    if (!reason.empty()) {
      plan.counters[index].desc.name = options.events[index].desc.name;
      Refuse(plan, index,
             {ErrorKind::kPermission, reason,
              "run as root, or: sudo sysctl kernel.perf_event_paranoid=1"});
    }
    if (!plan.migrations && CountsAllMigrations(plan.counters[index])) plan.migrations = index;
  }
  // --null means none at all: the first counter after a while makes the kernel patch its scheduler
  // and wait for all CPUs, 14 ms were seen.
  if (!plan.migrations && plan.wanted != 0 && limits.MaySampleKernel()) {
    plan.migrations = plan.counters.size();
    plan.counters.push_back(Migrations(options));
  }
  return plan;
}

void Refuse(CountPlan& plan, std::size_t index, const Error& error) {
  PlannedCounter& counter = plan.counters[index];
  if (!counter.desc.refused.empty()) return;  // the first reason stands
  counter.desc.refused = error.message;
  counter.desc.refused_hint = error.hint;
  counter.desc.restriction.clear();
  for (PlannedCounter& member : plan.counters) {
    if (member.leader != index || !member.desc.refused.empty()) continue;
    member.desc.refused = "the leader of its group, " + counter.desc.name + ", cannot be counted";
    member.desc.refused_hint = "count it outside of the group: -e " + member.desc.name;
    member.desc.restriction.clear();
  }
}

std::string WithoutEventName(const std::string& message, const std::string& name) {
  const std::string prefix = "event '" + name + "': ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace prof::collect
