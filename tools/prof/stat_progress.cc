// Draws the progress of repeated runs.
#include "stat_progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace prof::tools {
namespace {

// Until the end, as far as it can be told.
std::optional<double> SecondsLeft(const RepeatOptions& options, const RunStopping& stopping,
                                  double seconds) {
  const auto rounds = static_cast<double>(stopping.rounds());
  if (stopping.rounds() == 0) return std::nullopt;
  double left = std::numeric_limits<double>::infinity();
  if (options.until == RepeatUntil::kRuns) {
    left = seconds / rounds * (static_cast<double>(options.runs) - rounds);
  } else if (const auto* progress = stopping.progress(); progress && progress->seconds_needed) {
    left = *progress->seconds_needed - seconds;
  }
  if (options.max_seconds) left = std::min(left, *options.max_seconds - seconds);
  if (!std::isfinite(left)) return std::nullopt;
  return std::max(left, 0.0);
}

}  // namespace

std::string ProgressText(const RepeatOptions& options, const PlannedRun& run,
                         const RunStopping& stopping, double seconds) {
  if (run.warmup) {
    return "warm-up run " + std::to_string(run.round + 1) + " of " +
           std::to_string(options.warmups);
  }
  std::string text = "run " + std::to_string(run.round + 1);
  if (options.until == RepeatUntil::kRuns) text += " of " + std::to_string(options.runs);
  if (const auto* progress = stopping.progress(); progress && progress->width) {
    text += ", 95 % interval " + ShareText(*progress->width) + " wide (" +
            ShareText(options.precision) + " wanted)";
  }
  if (const auto left = SecondsLeft(options, stopping, seconds))
    text += ", about " + DurationText(*left) + " left";
  return text;
}

StatProgress::StatProgress(const StatArguments& arguments, bool line)
    : arguments_(arguments), line_(line && !arguments.repeats.IsSingle() && !arguments.quiet) {}

void StatProgress::BeforeRun(const PlannedRun& run, const RunStopping& stopping, double seconds) {
  if (!line_) return;
  const std::string text = ProgressText(arguments_.repeats, run, stopping, seconds);
  std::fprintf(stderr, "\r\033[Kprof stat: %s\r", text.c_str());
  drawn_ = true;
}

void StatProgress::AfterRun(const PlannedRun& run, const model::RunDef& result) {
  if (!arguments_.verbose) return;
  Clear();
  std::fprintf(stderr, "prof stat: %s%llu of '%s': %.6f s, status %u\n",
               run.warmup ? "warm-up run " : "run ", static_cast<unsigned long long>(run.round + 1),
               arguments_.count.sides[run.side].text.c_str(),
               static_cast<double>(result.wall_ns) / 1e9, result.exit_status);
}

void StatProgress::Clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace prof::tools
