// Decides the perf_event_attr of every event to count, and where each is opened.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/collect/count_session.h"
#include "prof/perf/event_open.h"

namespace prof::collect {

// One event to count, ready to be opened.
struct PlannedCounter {
  perf_event_attr attr{};
  model::EventDesc desc;
  std::optional<std::size_t> leader;  // of its group: index of the plan; the leader has none
  std::string filter;
  // The CPUs that its PMU counts on (the file cpus or cpumask); empty: all.
  std::vector<int> cpus;
  bool outside_cores = false;  // counts whatever runs, on `cpus` alone
};

struct CountPlan {
  // The wanted events in order, so that index and EventId are the same; behind them what prof
  // counts for itself.
  std::vector<PlannedCounter> counters;
  std::size_t wanted = 0;
  std::optional<std::size_t> migrations;  // a counter of all CPU migrations
};

// Events that would count nothing for want of rights are refused here, with their reasons.
CountPlan PlanCounters(const CountOptions& options, const perf::KernelLimits& limits,
                       const HostFs& fs);

// Marks the event refused for `error`, and with a leader its whole group.
void Refuse(CountPlan& plan, std::size_t index, const Error& error);

// "event 'cycles': why" is "why" in a line that names the event anyway.
std::string WithoutEventName(const std::string& message, const std::string& name);

}  // namespace prof::collect
