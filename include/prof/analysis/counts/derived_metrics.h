// Numbers that several counts give together, and what they mean: IPC, miss rates, CPUs utilized.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/event.h"

namespace prof::analysis::counts {

// One way to get an input of a metric on some machine: an event as -e takes it.
using EventText = std::string;

// A metric as `prof list metric` shows it and -M takes it. Names are perf's where perf has one.
struct MetricInfo {
  std::string name;         // "ipc", "frequency", "branch-miss-rate", "TopdownL1", ...
  std::string group;        // "default", "cache", "tlb", "topdown"
  std::string description;  // one sentence
  // Each alternative is a set of events that give the metric, all in one group ({a,b}) where
  // multiplexing apart would spoil the ratio. Try them in order.
  std::vector<std::vector<EventText>> alternatives;
  // Software metrics need no counter of the CPU.
  bool needs_pmu = true;
};
std::span<const MetricInfo> MetricCatalog();
// By name or group, case-insensitive. kNotFound with the nearest names.
Result<std::vector<const MetricInfo*>> FindMetrics(const std::string& name);

// What a value stands beside: perf's comment column.
struct DerivedMetric {
  std::optional<model::EventId> event;  // the row it belongs to; none: a line of its own
  std::string name;                     // of MetricInfo
  double value = 0;
  std::string unit;  // perf's words: "CPUs utilized", "K/sec", "GHz", "insn per cycle", "of all
                     // branches", "% frontend bound"; a share is in percent
  bool is_percent = false;
  std::string verdict;  // "IPC 0.6: likely memory-bound or stalled"; empty: nothing to say
};

// The values of one run, or means over runs, by event; and the time that rates are per.
struct MetricInputs {
  std::span<const model::EventDesc> events;       // index: EventId
  std::span<const std::optional<double>> values;  // index: EventId; raw events, clocks in ns
  double elapsed_s = 0;
  std::optional<double> user_s;
  std::optional<double> system_s;
};

// Events are recognized by attr_type and attr_config (generic hardware, cache and software events),
// topdown events by name. An event counted in user space only pairs with those alike. Verdicts use
// the thresholds that docs/stat.md lists.
std::vector<DerivedMetric> DeriveMetrics(const MetricInputs& inputs);

}  // namespace prof::analysis::counts
