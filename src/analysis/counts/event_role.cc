// The numbers of perf_event_open(2) and the names of topdown events.
#include "analysis/counts/event_role.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>

namespace prof::analysis::counts {
namespace {

struct NumberedRole {
  std::uint32_t type;
  std::uint64_t config;
  EventRole role;
};

constexpr std::uint64_t ReadOf(std::uint64_t cache, std::uint64_t result) {
  return cache | std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8 | result << 16;
}
constexpr std::uint64_t kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
constexpr std::uint64_t kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;
constexpr std::uint32_t kSoftware = PERF_TYPE_SOFTWARE;
constexpr std::uint32_t kHardware = PERF_TYPE_HARDWARE;
constexpr std::uint32_t kCache = PERF_TYPE_HW_CACHE;

constexpr auto kNumbered = std::to_array<NumberedRole>({
    {kSoftware, PERF_COUNT_SW_TASK_CLOCK, EventRole::kTaskClock},
    {kSoftware, PERF_COUNT_SW_CPU_CLOCK, EventRole::kCpuClock},
    {kSoftware, PERF_COUNT_SW_PAGE_FAULTS, EventRole::kPageFaults},
    {kSoftware, PERF_COUNT_SW_CONTEXT_SWITCHES, EventRole::kContextSwitches},
    {kSoftware, PERF_COUNT_SW_CPU_MIGRATIONS, EventRole::kMigrations},
    {kHardware, PERF_COUNT_HW_CPU_CYCLES, EventRole::kCycles},
    {kHardware, PERF_COUNT_HW_INSTRUCTIONS, EventRole::kInstructions},
    {kHardware, PERF_COUNT_HW_CACHE_REFERENCES, EventRole::kCacheReferences},
    {kHardware, PERF_COUNT_HW_CACHE_MISSES, EventRole::kCacheMisses},
    {kHardware, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, EventRole::kBranches},
    {kHardware, PERF_COUNT_HW_BRANCH_MISSES, EventRole::kBranchMisses},
    {kHardware, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, EventRole::kStalledFrontend},
    {kHardware, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, EventRole::kStalledBackend},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_L1D, kAccess), EventRole::kL1dLoads},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_L1D, kMiss), EventRole::kL1dLoadMisses},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_L1I, kAccess), EventRole::kL1iLoads},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_L1I, kMiss), EventRole::kL1iLoadMisses},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_LL, kAccess), EventRole::kLlcLoads},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_LL, kMiss), EventRole::kLlcLoadMisses},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_DTLB, kAccess), EventRole::kDtlbLoads},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_DTLB, kMiss), EventRole::kDtlbLoadMisses},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_ITLB, kAccess), EventRole::kItlbLoads},
    {kCache, ReadOf(PERF_COUNT_HW_CACHE_ITLB, kMiss), EventRole::kItlbLoadMisses},
});

struct NamedRole {
  std::string_view name;
  EventRole role;
};
// As sysfs and perf's pmu-events call them; AMD's in the encoding of the metric catalog, too, as
// the kernel has no names for them.
constexpr auto kNamed = std::to_array<NamedRole>({
    {"slots", EventRole::kSlots},
    {"topdown-retiring", EventRole::kRetiringSlots},
    {"topdown-bad-spec", EventRole::kBadSpeculationSlots},
    {"topdown-fe-bound", EventRole::kFrontendSlots},
    {"topdown-be-bound", EventRole::kBackendSlots},
    {"topdown-total-slots", EventRole::kTotalSlots},
    {"topdown-slots-issued", EventRole::kSlotsIssued},
    {"topdown-slots-retired", EventRole::kSlotsRetired},
    {"topdown-fetch-bubbles", EventRole::kFetchBubbles},
    {"topdown-recovery-bubbles", EventRole::kRecoveryBubbles},
    {"ls_not_halted_cyc", EventRole::kAmdCycles},
    {"event=0x76", EventRole::kAmdCycles},
    {"de_no_dispatch_per_slot.no_ops_from_frontend", EventRole::kAmdNoOpsFromFrontend},
    {"event=0x1a0,umask=0x1", EventRole::kAmdNoOpsFromFrontend},
    {"de_no_dispatch_per_slot.backend_stalls", EventRole::kAmdBackendStalls},
    {"event=0x1a0,umask=0x1e", EventRole::kAmdBackendStalls},
    {"de_no_dispatch_per_slot.smt_contention", EventRole::kAmdSmtContention},
    {"event=0x1a0,umask=0x60", EventRole::kAmdSmtContention},
    {"ex_ret_ops", EventRole::kAmdOpsRetired},
    {"event=0xc1", EventRole::kAmdOpsRetired},
    {"de_src_op_disp.all", EventRole::kAmdOpsDispatched},
    {"event=0xaa,umask=0x7", EventRole::kAmdOpsDispatched},
    {"cpu_cycles", EventRole::kArmCycles},
    {"stall_slot", EventRole::kStallSlot},
    {"stall_slot_frontend", EventRole::kStallSlotFrontend},
    {"stall_slot_backend", EventRole::kStallSlotBackend},
    {"op_retired", EventRole::kOpsRetired},
    {"op_spec", EventRole::kOpsSpeculated},
});

// "slots" of "cpu_core/slots/u", "topdown-retiring" of "topdown-retiring:u", in lower case.
std::string PlainName(std::string_view name) {
  if (const auto open = name.find('/'); open != std::string_view::npos) {
    name.remove_prefix(open + 1);
    name = name.substr(0, name.find('/'));
  } else {
    name = name.substr(0, name.find(':'));
  }
  std::string plain(name);
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

bool IsGeneric(const model::EventDesc& event) {
  return event.attr_type == kHardware || event.attr_type == kCache;
}

// The high half of a generic hardware event's config names the PMU on hybrid machines.
std::uint64_t PmuOf(const model::EventDesc& event) {
  return IsGeneric(event) ? event.attr_config >> 32 : event.attr_type;
}

bool PairWith(const model::EventDesc& a, const model::EventDesc& b) {
  return a.excludes_user == b.excludes_user && a.excludes_kernel == b.excludes_kernel &&
         PmuOf(a) == PmuOf(b);
}

}  // namespace

EventRole RoleOf(const model::EventDesc& event) {
  const auto* named = std::ranges::find(kNamed, PlainName(event.name), &NamedRole::name);
  if (named != kNamed.end()) return named->role;
  const std::uint64_t config =
      IsGeneric(event) ? event.attr_config & 0xffffffffU : event.attr_config;
  const auto* numbered = std::ranges::find_if(kNumbered, [&](const NumberedRole& known) {
    return known.type == event.attr_type && known.config == config;
  });
  return numbered == kNumbered.end() ? EventRole::kOther : numbered->role;
}

bool IsTopdownInput(EventRole role) { return role >= EventRole::kSlots; }

RoleValues::RoleValues(std::span<const model::EventDesc> events,
                       std::span<const std::optional<double>> values)
    : events_(events), values_(values) {
  for (const model::EventDesc& event : events) roles_.push_back(RoleOf(event));
}

std::optional<double> RoleValues::ValueAt(std::size_t event) const {
  if (event >= values_.size() || !values_[event] || !std::isfinite(*values_[event])) {
    return std::nullopt;
  }
  return values_[event];
}

std::optional<double> RoleValues::Beside(const model::EventDesc& partner, EventRole role) const {
  for (std::size_t event = 0; event < events_.size(); ++event) {
    const bool fits = roles_[event] == role && PairWith(events_[event], partner);
    if (!fits) continue;
    if (const auto value = ValueAt(event)) return value;
  }
  return std::nullopt;
}

const model::EventDesc* RoleValues::Find(EventRole role) const {
  for (std::size_t event = 0; event < events_.size(); ++event) {
    if (roles_[event] == role && ValueAt(event)) return &events_[event];
  }
  return nullptr;
}

std::optional<double> RoleValues::Any(EventRole role) const {
  const model::EventDesc* event = Find(role);
  return event == nullptr ? std::nullopt : Beside(*event, role);
}

}  // namespace prof::analysis::counts
