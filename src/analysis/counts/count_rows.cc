// Adds up readings by their place.
#include "analysis/counts/count_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "analysis/counts/event_value.h"
#include "analysis/counts/trust.h"

#include "prof/analysis/statistics/sample.h"
#include "prof/analysis/statistics/summary.h"

namespace prof::analysis::counts {
namespace {

// Orders the rows; what has no number comes last.
using RowKey = std::array<std::uint32_t, 4>;
constexpr std::uint32_t kLast = ~std::uint32_t{0};

struct RowPlace {
  RowKey key{};
  std::string label;
};

class PlaceNames {
 public:
  PlaceNames(const RunSet& set, const StatReportOptions& options)
      : set_(set), aggregation_(options.aggregation) {
    for (const CpuPlace& cpu : options.topology) topology_.emplace(cpu.cpu, cpu);
  }

  [[nodiscard]] RowPlace Of(const Place& place) const {
    switch (aggregation_) {
      case Aggregation::kTotal:
        return {};
      case Aggregation::kThread:
        return OfThread(place.thread);
      default:
        return place.cpu == model::kUnknownCpu ? RowPlace{.key = {kLast}} : OfCpu(place.cpu);
    }
  }

 private:
  [[nodiscard]] RowPlace OfThread(model::ThreadId thread) const {
    if (thread >= set_.threads.size()) return {.key = {kLast}};
    const Thread& known = set_.threads[thread];
    return {.key = {thread}, .label = fmt::format("{}-{}", known.comm, known.tid)};
  }

  [[nodiscard]] RowPlace OfCpu(std::uint32_t cpu) const {
    const auto known = topology_.find(cpu);
    if (aggregation_ == Aggregation::kCpu || known == topology_.end()) {
      const bool is_row = aggregation_ == Aggregation::kCpu;
      return {.key = {is_row ? 0 : kLast - 1, cpu}, .label = fmt::format("CPU{}", cpu)};
    }
    const CpuPlace& at = known->second;
    switch (aggregation_) {
      case Aggregation::kCore:
        return {.key = {at.socket, at.die, at.core},
                .label = fmt::format("S{}-D{}-C{}", at.socket, at.die, at.core)};
      case Aggregation::kSocket:
        return {.key = {at.socket}, .label = fmt::format("S{}", at.socket)};
      default:
        return {.key = {at.node}, .label = fmt::format("N{}", at.node)};
    }
  }

  const RunSet& set_;
  Aggregation aggregation_;
  std::map<std::uint32_t, CpuPlace> topology_;
};

struct OpenRow {
  CountRow row;
  std::set<std::uint32_t> cpus;
};

OpenRow EmptyRow(const RunsInView& view, std::string label) {
  OpenRow open{.row = {.label = std::move(label)}};
  open.row.counts.assign(view.set->events.size(), std::vector<Count>(view.runs.size()));
  return open;
}

bool CountsCpus(Aggregation aggregation) {
  return aggregation == Aggregation::kCore || aggregation == Aggregation::kSocket ||
         aggregation == Aggregation::kNode;
}

// perf shows the threads that did most first.
void SortByFirstEvent(std::vector<CountRow>& rows) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double value = 0;
    if (!rows[row].counts.empty()) {
      for (const Count& count : rows[row].counts.front()) value -= count.Scaled();
    }
    order.emplace_back(value, row);
  }
  std::ranges::sort(order);
  std::vector<CountRow> sorted;
  for (const auto& [value, row] : order) sorted.push_back(std::move(rows[row]));
  rows = std::move(sorted);
}

class RowReader {
 public:
  RowReader(const RunsInView& view, const StatReportOptions& options)
      : view_(view), options_(options) {}

  // Nothing where the event was read in other rows alone.
  [[nodiscard]] std::optional<StatValue> Read(const CountRow& row, model::EventId event,
                                              bool is_read_elsewhere,
                                              std::optional<double>& raw_mean) const {
    const model::EventDesc& desc = view_.set->events[event];
    StatValue value{.label = row.label,
                    .aggregated = row.aggregated,
                    .event = event,
                    .state = CountState::kNotCounted,
                    .unit = EventUnitText(desc)};
    if (!desc.refused.empty()) {
      value.state = CountState::kNotSupported;
      return value;
    }
    const std::vector<Count>& counts = row.counts[event];
    const bool is_read = std::ranges::any_of(counts, [](const Count& c) { return c.parts > 0; });
    if (!is_read && is_read_elsewhere) return std::nullopt;
    AddTimes(counts, value);
    AddNumbers(desc, counts, value, raw_mean);
    return value;
  }

 private:
  static void AddTimes(const std::vector<Count>& counts, StatValue& value) {
    double enabled = 0;
    double running = 0;
    std::size_t runs = 0;
    for (const Count& count : counts) {
      if (count.parts == 0) continue;
      ++runs;
      enabled += static_cast<double>(count.enabled_ns);
      running += static_cast<double>(count.running_ns);
    }
    if (runs == 0) return;
    value.running_ns =
        static_cast<std::uint64_t>(std::min(running / static_cast<double>(runs), 0x1p63));
    // What was never enabled (its task never ran) has missed nothing: perf says 100 % of it.
    if (enabled > running) value.counted_share = running / enabled;
  }

  void AddNumbers(const model::EventDesc& desc, const std::vector<Count>& counts, StatValue& value,
                  std::optional<double>& raw_mean) const {
    std::vector<double> numbers;
    double raw_sum = 0;
    for (const Count& count : counts) {
      const auto number = EventValue(desc, count, options_.scale);
      if (!number || !IsUsable(*number)) continue;
      numbers.push_back(*number);
      raw_sum += options_.scale ? count.Scaled() : static_cast<double>(count.value);
    }
    const auto count = static_cast<double>(numbers.size());
    const auto sample = statistics::Sample::Create(std::move(numbers));
    if (!sample) return;
    statistics::Summary summary = statistics::Summarize(*sample);
    LeaveSmallUnjudged({.kind = QuantityKind::kEvent, .unit = value.unit}, summary);
    value.state = CountState::kCounted;
    value.value = summary.mean;
    if (view_.runs.size() > 1) value.repeats = summary;
    raw_mean = raw_sum / count;
  }

  const RunsInView& view_;
  const StatReportOptions& options_;
};

MetricInputs InputsOf(const RunsInView& view, const StatReportOptions& options,
                      std::span<const std::optional<double>> values) {
  return {.events = view.set->events,
          .values = values,
          .elapsed_s = view.elapsed_s,
          .waited_s = view.waited_s,
          .slots_per_cycle = options.slots_per_cycle,
          .whole_cpus = view.whole_cpus};
}

std::vector<bool> EventsWithReadings(const RunsInView& view) {
  std::vector<bool> read(view.set->events.size());
  for (const Run* run : view.runs) {
    for (std::size_t event = 0; event < read.size(); ++event) {
      if (!run->At(static_cast<model::EventId>(event)).empty()) read[event] = true;
    }
  }
  return read;
}

// The values of `rows`, each with its comment; the metrics of the last row are left in `metrics`.
std::vector<StatValue> Values(const RunsInView& view, const StatReportOptions& options,
                              const std::vector<CountRow>& rows,
                              std::vector<DerivedMetric>& metrics) {
  const RowReader reader(view, options);
  const std::vector<bool> is_read = EventsWithReadings(view);
  std::vector<StatValue> all;
  for (const CountRow& row : rows) {
    const std::size_t first = all.size();
    std::vector<std::optional<double>> means(view.set->events.size());
    for (model::EventId event = 0; event < means.size(); ++event) {
      auto value = reader.Read(row, event, is_read[event], means[event]);
      if (value) all.push_back(std::move(*value));
    }
    metrics = DeriveMetrics(InputsOf(view, options, means));
    for (const DerivedMetric& metric : metrics) {
      for (std::size_t at = first; metric.event && at < all.size(); ++at) {
        if (all[at].event == *metric.event) all[at].metric = metric;
      }
    }
  }
  return all;
}

}  // namespace

std::vector<CountRow> RowsOf(const RunsInView& view, const StatReportOptions& options) {
  const PlaceNames names(*view.set, options);
  std::map<RowKey, OpenRow> open;
  for (std::size_t run = 0; run < view.runs.size(); ++run) {
    for (model::EventId event = 0; event < view.set->events.size(); ++event) {
      for (const auto& [place, count] : view.runs[run]->At(event)) {
        RowPlace at = names.Of(place);
        auto row = open.find(at.key);
        if (row == open.end()) {
          row = open.emplace(at.key, EmptyRow(view, std::move(at.label))).first;
        }
        row->second.row.counts[event][run] += count;
        if (place.cpu != model::kUnknownCpu) row->second.cpus.insert(place.cpu);
      }
    }
  }
  if (open.empty()) open.emplace(RowKey{}, EmptyRow(view, {}));
  std::vector<CountRow> rows;
  for (auto& [key, row] : open) {
    if (CountsCpus(options.aggregation)) {
      row.row.aggregated = static_cast<std::uint32_t>(row.cpus.size());
    }
    rows.push_back(std::move(row.row));
  }
  if (options.aggregation == Aggregation::kThread) SortByFirstEvent(rows);
  return rows;
}

RowValues ValuesOf(const RunsInView& view, const StatReportOptions& options) {
  StatReportOptions total_options = options;
  total_options.aggregation = Aggregation::kTotal;
  std::vector<DerivedMetric> metrics;
  RowValues result;
  result.values = Values(view, total_options, RowsOf(view, total_options), metrics);
  for (DerivedMetric& metric : metrics) {
    if (!metric.verdict.empty() &&
        std::ranges::find(result.verdicts, metric.verdict) == result.verdicts.end()) {
      result.verdicts.push_back(metric.verdict);
    }
    if (!metric.event) result.lines.push_back(std::move(metric));
  }
  if (options.aggregation != Aggregation::kTotal) {
    result.values = Values(view, options, RowsOf(view, options), metrics);
  }
  return result;
}

}  // namespace prof::analysis::counts
