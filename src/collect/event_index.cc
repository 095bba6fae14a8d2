// Looks events up by the ids in their records.
#include "collect/event_index.h"

namespace prof::collect {

EventIndex::EventIndex(const AttrPlan& plan, const perf_event_attr& side_band)
    : side_band_(perf::RecordLayout::Of(side_band)) {
  for (const PlannedEvent& event : plan.events) {
    if (!clock_ && event.desc.unit == model::EventUnit::kNanoseconds)
      clock_ = static_cast<model::EventId>(layouts_.size());
    layouts_.push_back(perf::RecordLayout::Of(event.attr));
  }
}

const IndexedEvent* EventIndex::Find(std::uint64_t id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &it->second;
}

}  // namespace prof::collect
