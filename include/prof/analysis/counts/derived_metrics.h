// Numbers that several counts give together, and what they mean: IPC, miss rates, CPUs utilized.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/event.h"

namespace prof::analysis::counts {

// One way to get an input of a metric on some machine: an event as -e takes it.
using EventText = std::string;

// A metric as `prof list metric` shows it and -M takes it. Names are perf's where perf has one.
struct MetricInfo {
  std::string name;         // "ipc", "frequency", "branch-miss-rate", "backend-bound", ...
  std::string group;        // "default", "cache", "tlb", "topdown"
  std::string description;  // one sentence
  // Each alternative is a set of texts for -e that give the metric, one text being a whole group
  // ("{cycles,instructions}") where multiplexing apart would spoil the ratio. Try them in order.
  std::vector<std::vector<EventText>> alternatives;
  // Software metrics need no counter of the CPU.
  bool needs_pmu = true;
};
std::span<const MetricInfo> MetricCatalog();
// By name or group, case-insensitive; "TopdownL1" is perf's name of the group "topdown". kNotFound
// with the nearest names.
Result<std::vector<const MetricInfo*>> FindMetrics(const std::string& name);

// What a value stands beside: perf's comment column.
struct DerivedMetric {
  std::optional<model::EventId> event;  // the row it belongs to; none: a line of its own
  std::string name;  // of MetricInfo; "rate" for other events per second of CPU time
  double value = 0;
  std::string unit;         // perf's words: "CPUs utilized", "K/sec", "GHz", "insn per cycle",
                            // "of all branches", "frontend bound"
  bool is_percent = false;  // a share, its value in percent
  std::string verdict;      // "IPC 0.6: likely memory-bound or stalled"; empty: nothing to say
};

// The values of one run, or means over runs, by event; and the time that rates are per.
struct MetricInputs {
  std::span<const model::EventDesc> events;       // index: EventId
  std::span<const std::optional<double>> values;  // index: EventId; raw events, clocks in ns
  double elapsed_s = 0;
  // Of it, ready to run and without a CPU, as far as known: an idle CPU was not what it waited for.
  double waited_s = 0;
  // What one CPU can dispatch in a cycle (SlotsPerCycle); AMD's and arm64's topdown needs it.
  std::optional<double> slots_per_cycle;
  // The clocks went on while CPUs were idle (-a, -C): "CPUs utilized" says nothing then.
  bool whole_cpus = false;
};

// Events are recognized by attr_type and attr_config (generic hardware, cache and software events),
// topdown events by name. An event counted in user space only pairs with those alike; rates are per
// second of task-clock (else cpu-clock), which counts both. Verdicts use the thresholds that
// docs/metrics.md lists.
std::vector<DerivedMetric> DeriveMetrics(const MetricInputs& inputs);

// The dispatch slots per cycle of an AMD CPU, from the text of /proc/cpuinfo: 6 for Zen 4, 8 for
// Zen 5. None for others; those of arm64 are in
// /sys/bus/event_source/devices/armv8_pmuv3*/caps/slots (not known where the CPUs differ).
std::optional<double> SlotsPerCycle(std::string_view cpuinfo);

}  // namespace prof::analysis::counts
