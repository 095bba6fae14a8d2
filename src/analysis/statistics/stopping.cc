#include "prof/analysis/statistics/stopping.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/order_statistics.h"

#include "prof/analysis/statistics/shift.h"

namespace prof::analysis::statistics {
namespace {

// The interval of b / a, or of 1 + shift / |median(a)| where there is no ratio.
std::optional<Interval> RelativeInterval(const Sample& a, const Sample& b) {
  if (const std::optional<Shift> ratio = RatioOf(a, b)) return ratio->interval;
  const double scale = std::abs(a.Median());
  const std::optional<Interval> shift = ShiftOf(a, b).interval;
  if (scale == 0 || !shift) return std::nullopt;
  return Interval{1 + shift->low / scale, 1 + shift->high / scale};
}

}  // namespace

void StoppingSchedule::Judge(double seconds, StoppingProgress& progress) {
  progress.state = StoppingState::kContinue;
  progress.runs_needed.reset();
  progress.seconds_needed.reset();
  const auto runs = static_cast<double>(progress.runs);
  if (progress.width) {
    const double excess = *progress.width / options_.precision;
    progress.runs_needed =
        std::ceil(std::max(static_cast<double>(kFewestRuns), runs * excess * excess));
    progress.seconds_needed = *progress.runs_needed * seconds / runs;
  }
  if (progress.runs >= next_look_) Look(progress);
  if (progress.state != StoppingState::kContinue) return;
  if (seconds >= options_.max_seconds) progress.state = StoppingState::kOutOfTime;
  if (progress.runs >= options_.max_runs) progress.state = StoppingState::kOutOfRuns;
}

void StoppingSchedule::Look(StoppingProgress& progress) {
  next_look_ = std::max(progress.runs + 1, progress.runs * 5 / 4);
  auto now = StoppingState::kContinue;
  if (!progress.width) {
    // Without a median to compare with, no number of runs will do; equal values would have a width.
    now = StoppingState::kHopeless;
  } else if (*progress.width < options_.precision) {
    now = StoppingState::kPrecise;
  } else if (*progress.seconds_needed > kHopelessFactor * options_.max_seconds ||
             *progress.runs_needed > kHopelessFactor * static_cast<double>(options_.max_runs)) {
    now = StoppingState::kHopeless;
  }
  if (now == last_) progress.state = now;
  last_ = now;
}

Status MedianStopping::Add(double value, double seconds) {
  PROF_TRY(Sample::Create({value}));
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
  progress_.runs = sorted_.size();
  if (schedule_.IsDue(progress_.runs)) Measure();
  schedule_.Judge(seconds, progress_);
  return {};
}

void MedianStopping::Measure() {
  progress_.width.reset();
  if (const auto found = IntervalOfSorted(sorted_, 0.95)) {
    progress_.interval = found->interval;
    const double median = (sorted_[(sorted_.size() - 1) / 2] + sorted_[sorted_.size() / 2]) / 2;
    const double width = found->interval.Width();
    if (width == 0) {
      progress_.width = 0;
    } else if (median != 0) {
      progress_.width = width / std::abs(median);
    }
  }
}

Status RatioStopping::Add(double a, double b, double seconds) {
  PROF_TRY(Sample::Create({a}));
  PROF_TRY(Sample::Create({b}));
  a_.push_back(a);
  b_.push_back(b);
  progress_.runs = a_.size();
  if (schedule_.IsDue(a_.size())) {
    PROF_TRY_ASSIGN(const Sample sample_a, Sample::Create(a_));
    PROF_TRY_ASSIGN(const Sample sample_b, Sample::Create(b_));
    progress_.interval = RelativeInterval(sample_a, sample_b);
    progress_.width.reset();
    if (progress_.interval) progress_.width = progress_.interval->Width();
  }
  schedule_.Judge(seconds, progress_);
  return {};
}

}  // namespace prof::analysis::statistics
