// A grid of deadlines.
#include "collect/counting/run_schedule.h"

#include <algorithm>

namespace prof::collect {

RunSchedule::RunSchedule(const CountOptions& options, std::uint64_t start_ns)
    : begin_ns_(start_ns + options.delay_ms * 1'000'000U), counting_(options.delay_ms == 0) {
  if (options.interval_ms) {
    interval_ns_ = std::max<std::uint64_t>(*options.interval_ms, 1) * 1'000'000U;
    next_read_ns_ = begin_ns_ + interval_ns_;
    reads_left_ = options.interval_count;
  }
  if (options.timeout_s) {
    constexpr double kMostSeconds = 1e9;  // 30 years; more does not fit into 64 bits
    stop_ns_ = begin_ns_ +
               static_cast<std::uint64_t>(std::clamp(*options.timeout_s, 0.0, kMostSeconds) * 1e9);
  }
}

RunSchedule::Due RunSchedule::Take(std::uint64_t now_ns) {
  Due due;
  if (!counting_ && now_ns >= begin_ns_) {
    counting_ = true;
    due.enable = true;
  }
  if (interval_ns_ != 0 && now_ns >= next_read_ns_) {
    due.read = true;
    next_read_ns_ += ((now_ns - next_read_ns_) / interval_ns_ + 1) * interval_ns_;
    if (reads_left_ && (*reads_left_ <= 1 || --*reads_left_ == 0)) {
      due.stop = true;
      interval_ns_ = 0;
    }
  }
  if (stop_ns_ && now_ns >= *stop_ns_) {
    due.stop = true;
    stop_ns_.reset();
    interval_ns_ = 0;
  }
  return due;
}

std::optional<std::uint64_t> RunSchedule::NextNs() const {
  std::optional<std::uint64_t> next = stop_ns_;
  const auto consider = [&next](std::uint64_t time_ns) {
    next = std::min(next.value_or(time_ns), time_ns);
  };
  if (!counting_) consider(begin_ns_);
  if (interval_ns_ != 0) consider(next_read_ns_);
  return next;
}

}  // namespace prof::collect
