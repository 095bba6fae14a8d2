// Passes records on.
#include "stat_sinks.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace prof::tools {

Status TeeSink::Append(const model::Record& record) {
  PROF_TRY(first_.Append(record));
  return second_ == nullptr ? Status() : second_->Append(record);
}

Status TeeSink::Flush() {
  PROF_TRY(first_.Flush());
  return second_ == nullptr ? Status() : second_->Flush();
}

Status WholeRunsSink::Append(const model::Record& record) {
  const auto* run = std::get_if<model::RunDef>(&record);
  if (run != nullptr && run->exit_status != 0) return {};
  return next_.Append(record);
}

Status IntervalSink::Append(const model::Record& record) {
  PROF_TRY(builder_.Append(record));
  if (const auto* info = std::get_if<model::RecordingInfo>(&record)) {
    began_ns_ = info->start.monotonic_ns;
  } else if (const auto* run = std::get_if<model::RunDef>(&record)) {
    const auto& runs = builder_.runs().runs;
    if (!runs.empty() && IsNew(runs.back()))
      return PrintUntil(runs.back(), static_cast<double>(run->wall_ns) / 1e9);
  }
  return {};
}

Status IntervalSink::Flush() {
  const analysis::counts::Run* now = builder_.current();
  if (now == nullptr || !IsNew(*now)) return {};
  const std::uint64_t lasted_ns = now->latest_ns - std::min(began_ns_, now->latest_ns);
  return PrintUntil(*now, static_cast<double>(lasted_ns) / 1e9);
}

bool IntervalSink::IsNew(const analysis::counts::Run& run) const {
  return run.latest_ns != model::kUnknownTime && run.latest_ns > printed_ns_;
}

Status IntervalSink::PrintUntil(const analysis::counts::Run& now, double until_s) {
  const auto report = analysis::counts::BuildIntervalReport(
      builder_.runs(), now, before_ ? &*before_ : nullptr, until_s, options_);
  printed_ns_ = now.latest_ns;
  before_ = now;
  return print_(report);
}

}  // namespace prof::tools
