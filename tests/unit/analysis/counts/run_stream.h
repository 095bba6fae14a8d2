// Streams of prof stat for tests: events, sides, runs and readings in a few words.
#pragma once

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/counts/run_set.h"

namespace prof::analysis::counts::test {

inline model::EventDesc Software(std::string name, std::uint64_t config) {
  const bool is_clock = config <= PERF_COUNT_SW_TASK_CLOCK;
  return {.name = std::move(name),
          .unit = is_clock ? model::EventUnit::kNanoseconds : model::EventUnit::kCount,
          .attr_type = PERF_TYPE_SOFTWARE,
          .attr_config = config};
}
inline model::EventDesc TaskClock() { return Software("task-clock", PERF_COUNT_SW_TASK_CLOCK); }
inline model::EventDesc PageFaults() { return Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS); }
inline model::EventDesc Switches() {
  return Software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES);
}
inline model::EventDesc Hardware(std::string name, std::uint64_t config) {
  return {.name = std::move(name), .attr_type = PERF_TYPE_HARDWARE, .attr_config = config};
}
inline model::EventDesc Cycles() { return Hardware("cycles", PERF_COUNT_HW_CPU_CYCLES); }
inline model::EventDesc Instructions() {
  return Hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS);
}
inline model::EventDesc Cache(std::string name, std::uint64_t cache, std::uint64_t result) {
  return {.name = std::move(name),
          .attr_type = PERF_TYPE_HW_CACHE,
          .attr_config = cache | result << 16};
}
// An event of the CPU's own PMU.
inline model::EventDesc Raw(std::string name) {
  return {.name = std::move(name), .attr_type = PERF_TYPE_RAW, .attr_config = 0x123};
}
inline model::EventDesc Refused(std::string name, std::string reason, bool is_default = false) {
  return {.name = std::move(name),
          .attr_type = PERF_TYPE_HARDWARE,
          .attr_config = 1,
          .refused = std::move(reason),
          .refused_hint = "try another machine",
          .is_default = is_default};
}

class RunStream {
 public:
  void Append(const model::Record& record) { ASSERT_TRUE(builder_.Append(record).has_value()); }

  model::EventId Event(model::EventDesc desc) {
    Append(model::EventDef{.id = events_, .event = std::move(desc)});
    return events_++;
  }
  std::uint32_t Side(std::string text) {
    Append(model::SideDef{.id = sides_, .command = {text}, .text = text});
    return sides_++;
  }
  std::uint32_t Thread(std::uint32_t tid, std::string name) {
    Append(model::ThreadDef{.id = threads_, .tid = tid, .name = std::move(name)});
    return threads_++;
  }
  void Target(model::TargetKind kind) { Append(model::RecordingInfo{.target = kind}); }

  // Of the run that Run ends next.
  void Read(model::EventId event, std::uint64_t value, Place place = {},
            std::uint64_t enabled = 100, std::uint64_t running = 100) {
    Append(model::CounterReading{.run = runs_,
                                 .event = event,
                                 .cpu = place.cpu,
                                 .thread = place.thread,
                                 .value = value,
                                 .enabled_ns = enabled,
                                 .running_ns = running});
  }
  std::uint32_t Run(double wall_s, std::uint32_t side = 0,
                    const std::function<void(model::RunDef&)>& change = {}) {
    model::RunDef def{
        .run = runs_, .side = side, .wall_ns = static_cast<std::uint64_t>(wall_s * 1e9)};
    if (change) change(def);
    Append(def);
    return runs_++;
  }

  [[nodiscard]] const RunSet& runs() const { return builder_.runs(); }
  [[nodiscard]] const RunSetBuilder& builder() const { return builder_; }

 private:
  RunSetBuilder builder_;
  model::EventId events_ = 0;
  std::uint32_t sides_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t runs_ = 0;
};

}  // namespace prof::analysis::counts::test
