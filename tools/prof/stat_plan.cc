// Orders runs and stops them.
#include "stat_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace prof::tools {
namespace {

using analysis::statistics::StoppingProgress;
using analysis::statistics::StoppingState;

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Two significant digits.
std::string Roughly(double value) {
  const double unit = value < 100 ? 1 : std::pow(10, std::floor(std::log10(value)) - 1);
  return Format("%.0f", std::round(value / unit) * unit);
}

}  // namespace

std::string ShareText(double share) {
  return Format(share < 0.1 ? "%.2g %%" : "%.0f %%", 100 * share);
}

std::string DurationText(double seconds) {
  if (seconds < 120) return Format("%.0f s", std::ceil(seconds));
  if (seconds < 7200) return Format("%.0f min", seconds / 60);
  return seconds < 172'800 ? Format("%.0f h", seconds / 3600) : Roughly(seconds / 86'400) + " days";
}

PlannedRun RunPlan::Next() {
  PlannedRun run;
  run.warmup = round_ < warmups_;
  run.round = run.warmup ? round_ : round_ - warmups_;
  const std::uint32_t position = run.round % 2 == 0 ? position_ : sides_ - 1 - position_;
  run.side = (position + 1) % sides_;
  run.ends_round = ++position_ == sides_;
  if (run.ends_round) {
    position_ = 0;
    ++round_;
  }
  return run;
}

RunStopping::RunStopping(const RepeatOptions& options, std::uint32_t sides) : options_(options) {
  if (options.until != RepeatUntil::kPrecise) return;
  const analysis::statistics::StoppingOptions stopping{
      .precision = options.precision,
      .max_seconds = options.max_seconds.value_or(std::numeric_limits<double>::infinity())};
  if (sides == 1) {
    median_.emplace(stopping);
  } else {
    ratios_.assign(sides - 1, analysis::statistics::RatioStopping(stopping));
  }
}

Status RunStopping::AddRound(const std::vector<double>& values, double seconds) {
  ++rounds_;
  seconds_ = seconds;
  if (options_.until == RepeatUntil::kRuns && rounds_ >= options_.runs) {
    done_ = true;
    return {};
  }
  if (options_.until != RepeatUntil::kPrecise) {
    out_of_time_ = options_.max_seconds && seconds >= *options_.max_seconds;
    done_ = out_of_time_;
    return {};
  }
  if (median_) PROF_TRY(median_->Add(values[0], seconds));
  for (std::size_t i = 0; i < ratios_.size(); ++i)
    PROF_TRY(ratios_[i].Add(values[i + 1], values[0], seconds));
  // More runs of a side that knows enough cost less than an order that is no longer balanced.
  done_ = std::ranges::all_of(All(), [](const StoppingProgress* progress) {
    return progress->state != StoppingState::kContinue;
  });
  return {};
}

std::vector<const StoppingProgress*> RunStopping::All() const {
  std::vector<const StoppingProgress*> all;
  if (median_) all.push_back(&median_->progress());
  for (const auto& ratio : ratios_) all.push_back(&ratio.progress());
  return all;
}

const StoppingProgress* RunStopping::progress() const {
  const auto all = All();
  if (all.empty()) return nullptr;
  return *std::ranges::max_element(all, {}, [](const StoppingProgress* progress) {
    return progress->width.value_or(std::numeric_limits<double>::infinity());
  });
}

std::string RunStopping::Explain() const {
  if (options_.until == RepeatUntil::kPrecise) return done_ ? ExplainAuto() : "";
  if (!out_of_time_) return "";
  std::string text = "--max-time is over after " + std::to_string(rounds_);
  if (options_.until == RepeatUntil::kRuns) text += " of " + std::to_string(options_.runs);
  return text + " runs";
}

std::string RunStopping::ExplainAuto() const {
  const StoppingProgress& worst = *progress();
  if (worst.state == StoppingState::kPrecise) return "";
  const std::string what = median_ ? "median" : "ratio";
  std::string text = "-r auto stopped after " + std::to_string(rounds_) + " runs" +
                     (median_ ? "" : " of each") + " and " + Format("%.3g s: ", seconds_);
  if (!worst.width) {
    text += "the " + what + " has no 95 % interval yet";
  } else {
    text += "the 95 % interval of the " + what + " is " + ShareText(*worst.width) +
            " wide, not below " + ShareText(options_.precision);
  }
  if (worst.state == StoppingState::kHopeless && !worst.width) return text + ", nor will it";
  if (worst.runs_needed && worst.seconds_needed) {
    text += "; that takes about " + Roughly(*worst.runs_needed) + " runs" +
            (median_ ? "" : " of each") + " and " + DurationText(*worst.seconds_needed);
  }
  text += Format(" (--max-time %.6g s)", options_.max_seconds.value_or(0));
  return text;
}

}  // namespace prof::tools
