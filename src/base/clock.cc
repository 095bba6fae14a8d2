// Reads the host's clocks.
#include "prof/base/clock.h"

#include <ctime>

namespace prof {
namespace {

std::uint64_t Read(clockid_t id) {
  timespec time{};
  ::clock_gettime(id, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::uint64_t MonotonicNs() { return Read(CLOCK_MONOTONIC); }

ClockReading ReadClocks() {
  return {.monotonic_ns = Read(CLOCK_MONOTONIC),
          .realtime_ns = Read(CLOCK_REALTIME),
          .boottime_ns = Read(CLOCK_BOOTTIME)};
}

}  // namespace prof
