// --time: a part of a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "prof/base/result.h"

namespace prof::tools {

// One end of --time: a share of the recording, or seconds.
struct TimePoint {
  double value = 0;
  bool percent = false;
};
struct TimeRange {
  std::optional<TimePoint> begin;
  std::optional<TimePoint> end;
};

// "1.5,3", "1.5,", ",3" (seconds), "10%-20%", "10%/2" (the second tenth).
Result<TimeRange> ParseTimeRange(std::string_view text);

// The range in ns of the recording's clock. Seconds no larger than the recording is long count from
// its beginning, larger ones are times of the clock itself, as perf script prints them.
std::pair<std::uint64_t, std::uint64_t> ResolveTimeRange(const TimeRange& range,
                                                         std::uint64_t begin_ns,
                                                         std::uint64_t end_ns);

}  // namespace prof::tools
