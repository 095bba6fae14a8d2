// The clocks of this host. One axis for everything: CLOCK_MONOTONIC.
#pragma once

#include <cstdint>

namespace prof {

struct ClockReading {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t boottime_ns = 0;
};

// Reads the three clocks within about a microsecond of each other.
ClockReading ReadClocks();
std::uint64_t MonotonicNs();

}  // namespace prof
