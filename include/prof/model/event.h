// What was counted or sampled.
#pragma once

#include <cstdint>
#include <string>

namespace prof::model {

using EventId = std::uint32_t;  // index of the event in the recording, from 0; not reset by epochs

enum class EventUnit : std::uint8_t { kCount = 0, kNanoseconds = 1, kBytes = 2 };

enum class SamplingMode : std::uint8_t {
  kFrequency = 0,  // sampling_value is in Hz
  kPeriod = 1,     // sampling_value is in units of the event
};

struct EventDesc {
  std::string name;  // as the user wrote it, or the default's: "cycles:u", "cpu-clock"
  EventUnit unit = EventUnit::kCount;
  SamplingMode mode = SamplingMode::kFrequency;
  std::uint64_t sampling_value = 0;
  std::string replaces;          // "cycles" when this event stands in for it, else empty
  std::string replaced_because;  // "no hardware counters on this machine", with `replaces`
  bool excludes_user = false;
  bool excludes_kernel = false;
  // Why the kernel part is missing although nobody asked for that ("perf_event_paranoid is 2");
  // else empty.
  std::string restriction;
  std::uint8_t precise = 0;  // attr.precise_ip
  std::int32_t group_leader =
      -1;  // EventId of the group's leader for members read with it, else -1
  // perf_event_attr.type and .config, so that a reader can tell events apart; 0 for other sources.
  std::uint32_t attr_type = 0;
  std::uint64_t attr_config = 0;
  // Multiply a raw count by `scale` to get `scale_unit` ("Joules"); an empty unit: plain events.
  double scale = 1;
  std::string scale_unit;
  // Counting only: why it could not be counted; there are no readings then. Else empty.
  std::string refused;
  std::string refused_hint;  // what would help; may be empty
  bool is_default = false;   // nobody asked for it by name
};

}  // namespace prof::model
