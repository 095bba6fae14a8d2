// Which of the well-known events an event is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prof/model/event.h"

namespace prof::analysis::counts {

enum class EventRole : std::uint8_t {
  kOther,
  kTaskClock,
  kCpuClock,
  kPageFaults,
  kContextSwitches,
  kMigrations,
  kCycles,
  kInstructions,
  kCacheReferences,
  kCacheMisses,
  kBranches,
  kBranchMisses,
  kStalledFrontend,
  kStalledBackend,
  kL1dLoads,
  kL1dLoadMisses,
  kL1iLoads,
  kL1iLoadMisses,
  kLlcLoads,
  kLlcLoadMisses,
  kDtlbLoads,
  kDtlbLoadMisses,
  kItlbLoads,
  kItlbLoadMisses,
  // Topdown, Intel's with PERF_METRICS (Ice Lake on).
  kSlots,
  kRetiringSlots,
  kBadSpeculationSlots,
  kFrontendSlots,
  kBackendSlots,
  // Intel before that.
  kTotalSlots,
  kSlotsIssued,
  kSlotsRetired,
  kFetchBubbles,
  kRecoveryBubbles,
  // AMD from Zen 4 on.
  kAmdCycles,
  kAmdNoOpsFromFrontend,
  kAmdBackendStalls,
  kAmdSmtContention,
  kAmdOpsRetired,
  kAmdOpsDispatched,
  // arm64.
  kArmCycles,
  kStallSlot,
  kStallSlotFrontend,
  kStallSlotBackend,
  kOpsRetired,
  kOpsSpeculated,
};

EventRole RoleOf(const model::EventDesc& event);
// Topdown inputs mean nothing alone: no rate is shown for them.
bool IsTopdownInput(EventRole role);

// Values by role, of events that may stand in one ratio.
class RoleValues {
 public:
  RoleValues(std::span<const model::EventDesc> events,
             std::span<const std::optional<double>> values);

  // The value of the first event with that role which counted the same modes of the same PMU as
  // `partner`.
  [[nodiscard]] std::optional<double> Beside(const model::EventDesc& partner, EventRole role) const;
  // Of the first event with that role.
  [[nodiscard]] std::optional<double> Any(EventRole role) const;
  // The event itself, if it has a value.
  [[nodiscard]] const model::EventDesc* Find(EventRole role) const;
  [[nodiscard]] EventRole RoleAt(std::size_t event) const { return roles_[event]; }

 private:
  [[nodiscard]] std::optional<double> ValueAt(std::size_t event) const;

  std::span<const model::EventDesc> events_;
  std::span<const std::optional<double>> values_;
  std::vector<EventRole> roles_;
};

}  // namespace prof::analysis::counts
