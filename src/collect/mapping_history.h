// The executable mappings of a process over a stretch of time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "prof/model/address_space.h"

namespace prof::collect {

// Says what was mapped at a time: readers on several threads do not reach the same moment together,
// and samples that wait are older than what was heard since. Changes may come late; they take
// effect at their time. What At() returned is never changed again, so that it can be read without
// a lock; the history itself is not synchronized.
class MappingHistory {
 public:
  MappingHistory();
  // Of a forked child.
  explicit MappingHistory(std::shared_ptr<const model::AddressSpace> space);

  void Map(std::uint64_t time_ns, const model::Mapping& mapping);
  // An exec, or /proc read anew: what was there before ends. Where nothing was known, `space` holds
  // for all times.
  void Replace(std::uint64_t time_ns, std::shared_ptr<const model::AddressSpace> space);
  [[nodiscard]] std::shared_ptr<const model::AddressSpace> At(std::uint64_t time_ns);
  [[nodiscard]] std::shared_ptr<const model::AddressSpace> Newest();
  // Nobody will ask about moments before `time_ns` any more.
  void Settle(std::uint64_t time_ns);
  // Not settled yet.
  [[nodiscard]] bool has_changes() const { return !changes_.empty(); }

 private:
  struct Change {
    std::uint64_t time_ns = 0;
    model::Mapping mapping;                                  // when there is no replacement
    std::shared_ptr<const model::AddressSpace> replacement;  // of everything
    std::shared_ptr<const model::AddressSpace> after;        // built when it is asked for
  };
  void Insert(Change change);

  std::shared_ptr<const model::AddressSpace> base_;  // before all changes
  std::vector<Change> changes_;                      // by time, those of one time as they came
};

}  // namespace prof::collect
