// Which opened event a record in a ring belongs to, and how its records are laid out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collect/attr_plan.h"

#include "prof/perf/record_decoder.h"

namespace prof::collect {

// Which task an event was opened on: a thread's tid, or kEveryTask for a CPU's events. Inherited
// copies in children report the id of the event they come from.
inline constexpr pid_t kEveryTask = -1;

struct IndexedEvent {
  model::EventId event = 0;  // of sampling events
  pid_t origin = kEveryTask;
};

// Filled while events are opened, read by the reader: the same thread.
class EventIndex {
 public:
  EventIndex(const AttrPlan& plan, const perf_event_attr& side_band);

  void Add(std::uint64_t id, const IndexedEvent& event) { by_id_.emplace(id, event); }
  [[nodiscard]] const IndexedEvent* Find(std::uint64_t id) const;
  [[nodiscard]] const perf::RecordLayout& LayoutOf(const IndexedEvent& event) const {
    return layouts_[event.event];
  }
  // The fields before the event's own are the same for all sampling events.
  [[nodiscard]] const perf::RecordLayout& head_layout() const { return layouts_.front(); }
  // Of all records but samples, in both rings.
  [[nodiscard]] const perf::RecordLayout& side_band_layout() const { return side_band_; }
  // The event whose samples say how much CPU time was seen: the first clock.
  [[nodiscard]] std::optional<model::EventId> clock() const { return clock_; }

 private:
  std::unordered_map<std::uint64_t, IndexedEvent> by_id_;
  std::vector<perf::RecordLayout> layouts_;  // by EventId
  perf::RecordLayout side_band_;
  std::optional<model::EventId> clock_;
};

}  // namespace prof::collect
