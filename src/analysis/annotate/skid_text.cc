// What perf_event_open(2) says about precise_ip and about each type of event.
#include "analysis/annotate/skid_text.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace prof::analysis {
namespace {

enum class Mechanism { kHardware, kTimer, kPlace, kFault, kSwitch, kBreakpoint, kUnknown };

// The name without modifiers: "cpu-clock:u" as "cpu-clock".
std::string_view BaseName(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(0, colon);
}

template <std::size_t kCount>
bool IsOneOf(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::ranges::find(names, name) != names.end();
}

Mechanism OfSoftware(std::uint64_t config) {
  switch (config) {
    case PERF_COUNT_SW_CPU_CLOCK:
    case PERF_COUNT_SW_TASK_CLOCK:
      return Mechanism::kTimer;
    case PERF_COUNT_SW_PAGE_FAULTS:
    case PERF_COUNT_SW_PAGE_FAULTS_MIN:
    case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
    case PERF_COUNT_SW_ALIGNMENT_FAULTS:
    case PERF_COUNT_SW_EMULATION_FAULTS:
      return Mechanism::kFault;
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
    case PERF_COUNT_SW_CPU_MIGRATIONS:
    case PERF_COUNT_SW_CGROUP_SWITCHES:
      return Mechanism::kSwitch;
    default:
      return Mechanism::kUnknown;
  }
}

// Type and config are zero (those of cycles) where the source of the profile did not know them, and
// types from PERF_TYPE_MAX on differ from machine to machine: there the name says more.
Mechanism MechanismOf(const model::EventDesc& event) {
  constexpr std::array<std::string_view, 4> kClocks = {"cpu-clock", "task-clock", "cpu_clock",
                                                       "task_clock"};
  constexpr std::array<std::string_view, 5> kFaults = {"page-faults", "faults", "minor-faults",
                                                       "major-faults", "alignment-faults"};
  constexpr std::array<std::string_view, 4> kSwitches = {"context-switches", "cs", "cpu-migrations",
                                                         "migrations"};
  const std::string_view name = event.name;
  const std::string_view base = BaseName(name);
  if (event.attr_type == PERF_TYPE_SOFTWARE) return OfSoftware(event.attr_config);
  if (event.attr_type == PERF_TYPE_TRACEPOINT) return Mechanism::kPlace;
  if (event.attr_type == PERF_TYPE_BREAKPOINT) return Mechanism::kBreakpoint;
  if (name.starts_with("uprobe") || name.starts_with("kprobe")) return Mechanism::kPlace;
  if (event.attr_type != PERF_TYPE_HARDWARE || event.attr_config != 0) return Mechanism::kHardware;
  if (IsOneOf(base, kClocks)) return Mechanism::kTimer;
  if (IsOneOf(base, kFaults)) return Mechanism::kFault;
  if (IsOneOf(base, kSwitches)) return Mechanism::kSwitch;
  // Names of tracepoints are "system:name"; modifiers are at most these letters.
  const std::size_t colon = name.find(':');
  const bool tracepoint =
      colon != std::string_view::npos && colon + 1 < name.size() &&
      name.substr(colon + 1).find_first_not_of("ukhGHpPSDIWeb") != std::string_view::npos;
  return tracepoint ? Mechanism::kPlace : Mechanism::kHardware;
}

std::string HardwareText(std::uint8_t precise) {
  switch (precise) {
    case 0:
      return "a counter's interrupt, not precise: addresses are some instructions behind the one "
             "that counted (an event with :pp is precise where the processor can)";
    case 1:
      return "precise (:p): each address is a constant distance from the instruction that counted, "
             "most often the one behind it";
    case 2:
      return "precise (:pp): each address is that of the instruction that counted";
    default:
      return "precise (:ppp): each address is that of the instruction that counted, and which one "
             "is sampled has no bias";
  }
}

}  // namespace

std::string SkidText(const model::EventDesc& event) {
  switch (MechanismOf(event)) {
    case Mechanism::kHardware:
      return HardwareText(event.precise);
    case Mechanism::kTimer:
      return "a timer: each address is the next instruction to run where the interrupt arrived, "
             "up to some microseconds late: often behind the instruction that took the time";
    case Mechanism::kPlace:
      return "a fixed place: each address is where the event is in the code";
    case Mechanism::kFault:
      return "exact: each address is the instruction that faulted";
    case Mechanism::kSwitch:
      return "exact: each address is where the kernel did it; who asked for it is on the stack";
    case Mechanism::kBreakpoint:
      return "a breakpoint: of data, each address is behind the instruction that accessed it; of "
             "code, the instruction itself";
    case Mechanism::kUnknown:
      break;
  }
  return "nothing is known about how far its addresses are off";
}

}  // namespace prof::analysis
