// Puts the parts of the report together.
#include "prof/analysis/counts/stat_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/counts/compare_sides.h"
#include "analysis/counts/comparison_words.h"
#include "analysis/counts/count_rows.h"
#include "analysis/counts/event_value.h"
#include "analysis/counts/noise.h"
#include "analysis/counts/stat_notes.h"
#include "analysis/counts/trust.h"

namespace prof::analysis::counts {
namespace {

using statistics::Sample;

constexpr std::size_t kRunsForHistogram = 10;
constexpr double kBusyMachine = 0.5;  // CPU pressure

double WallSeconds(const Run& run) { return static_cast<double>(run.def.wall_ns) / 1e9; }

double MeanWall(const std::vector<const Run*>& runs) {
  double sum = 0;
  for (const Run* run : runs) sum += WallSeconds(*run);
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

// 0 where nobody knows it. The wait is that of one thread: where some task of the machine waited
// half of the time, those that it has started may have.
double WaitSeconds(const Run& run) {
  const auto known = [](std::uint64_t ns) {
    return ns == model::kNotKnown ? 0 : static_cast<double>(ns) / 1e9;
  };
  const double pressure_s = known(run.def.noise.cpu_pressure_ns);
  const double wait_s = known(run.def.noise.wait_ns);
  return pressure_s < kBusyMachine * WallSeconds(run) ? wait_s : std::max(wait_s, pressure_s);
}

double MeanWait(const std::vector<const Run*>& runs) {
  double sum = 0;
  for (const Run* run : runs) sum += WaitSeconds(*run);
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

bool CountsWholeCpus(const RunSet& runs) {
  return runs.info && (runs.info->target == model::TargetKind::kSystem ||
                       runs.info->target == model::TargetKind::kCpus);
}

// How much longer `run` took than the others; where only its metric is off, the same share of its
// time.
double ExcessSeconds(const Run& run, const std::vector<const Run*>& others, double value,
                     double median) {
  std::vector<double> walls;
  for (const Run* other : others) walls.push_back(WallSeconds(*other));
  const auto sample = Sample::Create(std::move(walls));
  const double excess = sample ? WallSeconds(run) - sample->Median() : 0;
  if (excess > 0) return excess;
  return median == 0 ? 0 : std::abs(value / median - 1) * WallSeconds(run);
}

class SideBuilder {
 public:
  SideBuilder(const RunSet& set, const std::vector<Quantity>& quantities,
              const StatReportOptions& options, std::uint32_t side)
      : set_(set), quantities_(quantities), options_(options), runs_(set.RunsOf(side)) {
    result_.side = set.sides[side];
    result_.runs = runs_.size();
  }

  StatSide Build() {
    RowValues rows = ValuesOf({.set = &set_,
                               .runs = runs_,
                               .elapsed_s = MeanWall(runs_),
                               .waited_s = MeanWait(runs_),
                               .whole_cpus = CountsWholeCpus(set_)},
                              options_);
    result_.values = std::move(rows.values);
    result_.metrics = std::move(rows.lines);
    result_.verdicts = std::move(rows.verdicts);
    for (const Quantity& quantity : quantities_) AddQuantity(quantity);
    if (!quantities_.empty()) AddHeadline(quantities_.front());
    result_.noise = NoiseOf(runs_, set_.info ? set_.info->cpus_online : 1);
    AddTable();
    return std::move(result_);
  }

 private:
  void AddQuantity(const Quantity& quantity) {
    const auto sample = SampleOf(set_, result_.side.id, quantity, options_.scale);
    if (!sample) return;
    const auto drift = statistics::FindDrift(*sample);
    if (drift && drift->found) result_.drifts.push_back(DriftSentence(quantity, *drift));
    if (quantity.kind == QuantityKind::kEvent) return;
    statistics::Summary summary = statistics::Summarize(*sample);
    LeaveSmallUnjudged(quantity, summary);
    StatQuantity line{.quantity = quantity, .value = summary.mean, .drift = drift};
    if (runs_.size() > 1) line.repeats = summary;
    result_.quantities.push_back(std::move(line));
  }

  void AddHeadline(const Quantity& headline) {
    const auto sample = SampleOf(set_, result_.side.id, headline, options_.scale);
    if (!sample) return;
    if (sample->size() >= kRunsForHistogram) result_.histogram = statistics::HistogramOf(*sample);
    // Runs without a value are not in the sample.
    std::vector<std::size_t> places;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (ValueOf(*runs_[run], set_, headline, options_.scale)) places.push_back(run);
    }
    for (const statistics::Outlier& outlier : statistics::FindOutliers(*sample)) {
      const std::size_t place = places[outlier.run];
      result_.outliers.push_back({.run = static_cast<std::uint32_t>(place + 1),
                                  .quantity = headline,
                                  .value = outlier.value,
                                  .median = sample->Median(),
                                  .causes = Causes(headline, place, outlier, sample->Median())});
    }
  }

  // Of runs that are worse than the others; what disturbs a run never makes it better.
  [[nodiscard]] std::vector<std::string> Causes(const Quantity& headline, std::size_t place,
                                                const statistics::Outlier& outlier,
                                                double median) const {
    const bool is_higher = outlier.value > median;
    if (is_higher == headline.higher_is_better) return {};
    std::vector<const Run*> others = runs_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    const double excess_s = ExcessSeconds(*runs_[place], others, outlier.value, median);
    if (!(excess_s > 0)) return {};
    return CausesOf(*runs_[place], others, excess_s);
  }

  void AddTable() {
    const double mean_s = MeanWall(runs_);
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const double elapsed_s = WallSeconds(*runs_[run]);
      result_.table.push_back({.run = static_cast<std::uint32_t>(run + 1),
                               .elapsed_s = elapsed_s,
                               .difference_s = elapsed_s - mean_s,
                               .noise = runs_[run]->def.noise});
    }
  }

  const RunSet& set_;
  const std::vector<Quantity>& quantities_;
  const StatReportOptions& options_;
  std::vector<const Run*> runs_;
  StatSide result_;
};

StatReport Head(const RunSet& runs, const StatReportOptions& options) {
  return {.target = runs.info ? runs.info->target : model::TargetKind::kCommand,
          .target_text = TargetText(runs),
          .aggregation = options.aggregation,
          .events = runs.events,
          .refused = RefusedLines(runs)};
}

std::uint64_t Less(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

// The counts of `now` without those of `before`.
Run Difference(const Run& now, const Run* before) {
  Run run = now;
  if (before == nullptr) return run;
  for (model::EventId event = 0; event < run.counts.size(); ++event) {
    const std::map<Place, Count>& earlier = before->At(event);
    for (auto& [place, count] : run.counts[event]) {
      const auto known = earlier.find(place);
      if (known == earlier.end()) continue;
      count.value = Less(count.value, known->second.value);
      count.enabled_ns = Less(count.enabled_ns, known->second.enabled_ns);
      count.running_ns = Less(count.running_ns, known->second.running_ns);
    }
  }
  return run;
}

// 0 where nobody knows.
double IntervalSeconds(const Run& now, const Run* before, double until_s) {
  if (before == nullptr) return std::isfinite(until_s) ? std::max(until_s, 0.0) : 0;
  const bool is_known =
      now.latest_ns != model::kUnknownTime && before->latest_ns != model::kUnknownTime;
  return is_known ? static_cast<double>(Less(now.latest_ns, before->latest_ns)) / 1e9 : 0;
}

}  // namespace

StatReport BuildStatReport(const RunSet& runs, const StatReportOptions& options) {
  StatReport report = Head(runs, options);
  const std::vector<Quantity> quantities = QuantitiesOf(runs);
  for (std::uint32_t side = 0; side < runs.sides.size(); ++side) {
    report.sides.push_back(SideBuilder(runs, quantities, options, side).Build());
  }
  report.comparisons = CompareSides(runs, options);
  report.notes = NotesOn(runs, options);
  return report;
}

StatReport BuildIntervalReport(const RunSet& runs, const Run& now, const Run* before,
                               double until_s, const StatReportOptions& options) {
  StatReport report = Head(runs, options);
  report.interval_s = until_s;
  const Run interval = Difference(now, before);
  RowValues rows = ValuesOf({.set = &runs,
                             .runs = {&interval},
                             .elapsed_s = IntervalSeconds(now, before, until_s),
                             .whole_cpus = CountsWholeCpus(runs)},
                            options);
  StatSide side{.runs = 1,
                .values = std::move(rows.values),
                .metrics = std::move(rows.lines),
                .verdicts = std::move(rows.verdicts)};
  if (now.def.side < runs.sides.size()) side.side = runs.sides[now.def.side];
  report.sides.push_back(std::move(side));
  return report;
}

bool IsWorseBy(const SideComparison& comparison, double percent) {
  if (comparison.quantities.empty()) return false;
  const QuantityComparison& headline = comparison.quantities.front();
  const auto worse_verdict = headline.quantity.higher_is_better ? statistics::Verdict::kLower
                                                                : statistics::Verdict::kHigher;
  const std::optional<double> share = WorseShare(headline);
  return headline.verdict == worse_verdict && share && 100 * *share >= percent;
}

}  // namespace prof::analysis::counts
