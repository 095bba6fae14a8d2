// What of a run can be compared, and its values.
#include "prof/analysis/counts/quantity.h"

#include <algorithm>
#include <cmath>

#include "analysis/counts/event_value.h"

namespace prof::analysis::counts {
namespace {

std::optional<double> Known(std::uint64_t number, double unit) {
  if (number == model::kNotKnown) return std::nullopt;
  return static_cast<double>(number) / unit;
}

std::optional<double> RawValueOf(const Run& run, const RunSet& runs, const Quantity& quantity,
                                 bool scale) {
  switch (quantity.kind) {
    case QuantityKind::kEvent:
      if (quantity.index >= runs.events.size()) return std::nullopt;
      return EventValue(runs.events[quantity.index], run.Total(quantity.index), scale);
    case QuantityKind::kMetric:
      if (quantity.index >= run.def.metrics.size()) return std::nullopt;
      return run.def.metrics[quantity.index];
    case QuantityKind::kElapsed:
      return Known(run.def.wall_ns, 1e9);
    case QuantityKind::kUser:
      return Known(run.def.user_ns, 1e9);
    case QuantityKind::kSystem:
      return Known(run.def.system_ns, 1e9);
    case QuantityKind::kMaxRss:
      return Known(run.def.max_rss_bytes, 1e6);
  }
  return std::nullopt;
}

}  // namespace

std::string EventUnitText(const model::EventDesc& event) {
  if (!event.scale_unit.empty()) return event.scale_unit;
  switch (event.unit) {
    case model::EventUnit::kNanoseconds:
      return "msec";
    case model::EventUnit::kBytes:
      return "bytes";
    case model::EventUnit::kCount:
      break;
  }
  return {};
}

double InUnitOf(const model::EventDesc& event, double raw) {
  if (event.scale_unit.empty() && event.unit == model::EventUnit::kNanoseconds) raw /= 1e6;
  return raw * event.scale;
}

std::optional<double> EventValue(const model::EventDesc& event, const Count& count, bool scale) {
  if (!count.WasCounted()) return std::nullopt;
  return InUnitOf(event, scale ? count.Scaled() : static_cast<double>(count.value));
}

bool IsUsable(double value) {
  return std::isfinite(value) && std::abs(value) <= statistics::Sample::kLargestValue;
}

bool IsTime(const Quantity& quantity) {
  return quantity.kind == QuantityKind::kElapsed || quantity.kind == QuantityKind::kUser ||
         quantity.kind == QuantityKind::kSystem;
}

std::vector<Quantity> QuantitiesOf(const RunSet& runs) {
  std::vector<Quantity> all;
  for (const model::MetricDef& metric : runs.metrics) {
    all.push_back({.kind = QuantityKind::kMetric,
                   .index = metric.id,
                   .name = metric.name,
                   .higher_is_better = metric.higher_is_better});
  }
  all.push_back({.kind = QuantityKind::kElapsed, .name = "time elapsed", .unit = "seconds"});
  all.push_back({.kind = QuantityKind::kUser, .name = "user", .unit = "seconds"});
  all.push_back({.kind = QuantityKind::kSystem, .name = "sys", .unit = "seconds"});
  all.push_back({.kind = QuantityKind::kMaxRss, .name = "max rss", .unit = "MB"});
  for (std::uint32_t event = 0; event < runs.events.size(); ++event) {
    all.push_back({.kind = QuantityKind::kEvent,
                   .index = event,
                   .name = runs.events[event].name,
                   .unit = EventUnitText(runs.events[event])});
  }
  std::erase_if(all, [&runs](const Quantity& quantity) {
    return std::ranges::none_of(
        runs.runs, [&](const Run& run) { return ValueOf(run, runs, quantity).has_value(); });
  });
  return all;
}

std::optional<double> ValueOf(const Run& run, const RunSet& runs, const Quantity& quantity,
                              bool scale) {
  const std::optional<double> value = RawValueOf(run, runs, quantity, scale);
  return value && IsUsable(*value) ? value : std::nullopt;
}

Result<statistics::Sample> SampleOf(const RunSet& runs, std::uint32_t side,
                                    const Quantity& quantity, bool scale) {
  std::vector<double> values;
  for (const Run* run : runs.RunsOf(side)) {
    if (const auto value = ValueOf(*run, runs, quantity, scale)) values.push_back(*value);
  }
  if (values.empty()) {
    return Fail(ErrorKind::kBadData, quantity.name + ": no run has a value of it");
  }
  return statistics::Sample::Create(std::move(values));
}

}  // namespace prof::analysis::counts
