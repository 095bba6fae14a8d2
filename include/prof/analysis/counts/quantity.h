// What can be compared between runs: events, times, memory, numbers of the command's output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::counts {

enum class QuantityKind : std::uint8_t { kEvent, kMetric, kElapsed, kUser, kSystem, kMaxRss };

struct Quantity {
  QuantityKind kind = QuantityKind::kElapsed;
  std::uint32_t index = 0;  // EventId or MetricDef::id
  std::string name;  // "page-faults", "time elapsed", "user", "sys", "max rss", a metric's name
  std::string unit;  // of the values: "msec" for clocks, "seconds", "MB", "Joules", ""
  bool higher_is_better = false;
  bool operator==(const Quantity&) const = default;
};

// Elapsed, user or system time: of a run, not of an event.
bool IsTime(const Quantity& quantity);

// Metrics first, then elapsed, user and system time, memory, then the events that were counted in
// at least one run, in their order. What no run has is not among them. The first one is the
// headline: what a verdict is about.
std::vector<Quantity> QuantitiesOf(const RunSet& runs);

// Events scaled for multiplexing (unless `scale` is off) and in their unit: clocks in ms. Nothing
// where the run does not have it (event not counted in that run).
std::optional<double> ValueOf(const Run& run, const RunSet& runs, const Quantity& quantity,
                              bool scale = true);

// The values of all runs of `side` that have one. kBadData: none has.
Result<statistics::Sample> SampleOf(const RunSet& runs, std::uint32_t side,
                                    const Quantity& quantity, bool scale = true);

}  // namespace prof::analysis::counts
