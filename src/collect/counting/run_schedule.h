// When the steps of a run are due: counters on, readings, its end.
#pragma once

#include <cstdint>
#include <optional>

#include "prof/collect/count_session.h"

namespace prof::collect {

// Times are of CLOCK_MONOTONIC. Counting begins `delay_ms` after the start; intervals and the
// timeout are measured from there. Readings are due at begin + k x interval whatever the previous
// ones took; when several of these times were missed, one reading stands for them.
class RunSchedule {
 public:
  RunSchedule(const CountOptions& options, std::uint64_t start_ns);

  struct Due {
    bool enable = false;  // the delay is over
    bool read = false;
    bool stop = false;
  };
  // What is due at `now_ns`; each step once.
  Due Take(std::uint64_t now_ns);
  // The next time at which something is due.
  [[nodiscard]] std::optional<std::uint64_t> NextNs() const;
  [[nodiscard]] std::uint64_t begin_ns() const { return begin_ns_; }
  [[nodiscard]] bool counting() const { return counting_; }

 private:
  std::uint64_t begin_ns_;
  bool counting_;
  std::uint64_t interval_ns_ = 0;  // 0: no intervals
  std::uint64_t next_read_ns_ = 0;
  std::optional<std::uint64_t> reads_left_;
  std::optional<std::uint64_t> stop_ns_;
};

}  // namespace prof::collect
