// The metrics by name, and the events that give them.
#include <strings.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "prof/analysis/counts/derived_metrics.h"
#include "prof/base/near_names.h"

namespace prof::analysis::counts {
namespace {

constexpr std::size_t kNamesInHint = 3;

std::vector<MetricInfo> SoftwareMetrics() {
  return {
      {.name = "cpus-utilized",
       .group = "default",
       .description = "CPUs busy with the target on average: CPU time by elapsed time",
       .alternatives = {{"task-clock"}, {"cpu-clock"}},
       .needs_pmu = false},
      {.name = "page-fault-rate",
       .group = "default",
       .description = "Page faults per second of CPU time",
       .alternatives = {{"task-clock", "page-faults"}},
       .needs_pmu = false},
      {.name = "context-switch-rate",
       .group = "default",
       .description = "Context switches per second of CPU time",
       .alternatives = {{"task-clock", "context-switches"}},
       .needs_pmu = false},
      {.name = "migration-rate",
       .group = "default",
       .description = "Moves from CPU to CPU per second of CPU time",
       .alternatives = {{"task-clock", "cpu-migrations"}},
       .needs_pmu = false},
  };
}

std::vector<MetricInfo> CoreMetrics() {
  return {
      {.name = "ipc",
       .group = "default",
       .description = "Instructions per cycle",
       .alternatives = {{"{cycles,instructions}"}}},
      {.name = "frequency",
       .group = "default",
       .description = "Cycles per nanosecond of CPU time, in GHz",
       .alternatives = {{"task-clock", "cycles"}}},
      {.name = "branch-miss-rate",
       .group = "default",
       .description = "Branches guessed wrong, of all branches",
       .alternatives = {{"{branches,branch-misses}"}}},
      {.name = "frontend-idle",
       .group = "default",
       .description = "Cycles in which no instructions came, of all cycles",
       .alternatives = {{"{cycles,stalled-cycles-frontend}"}}},
      {.name = "backend-idle",
       .group = "default",
       .description = "Cycles in which instructions waited for data or units, of all cycles",
       .alternatives = {{"{cycles,stalled-cycles-backend}"}}},
      {.name = "stalled-per-insn",
       .group = "default",
       .description = "Stalled cycles per instruction, by the worse of frontend and backend",
       .alternatives = {{"{instructions,stalled-cycles-frontend,stalled-cycles-backend}"},
                        {"{instructions,stalled-cycles-backend}"},
                        {"{instructions,stalled-cycles-frontend}"}}},
  };
}

MetricInfo MissRate(std::string name, std::string group, std::string description,
                    const std::string& whole, const std::string& part) {
  return {.name = std::move(name),
          .group = std::move(group),
          .description = std::move(description),
          .alternatives = {{"{" + whole + "," + part + "}"}}};
}

std::vector<MetricInfo> MissRates() {
  return {
      MissRate("cache-miss-rate", "cache", "Misses of the last cache, of accesses that reach it",
               "cache-references", "cache-misses"),
      MissRate("l1d-miss-rate", "cache", "Load misses of the first data cache, of all loads",
               "L1-dcache-loads", "L1-dcache-load-misses"),
      MissRate("l1i-miss-rate", "cache", "Misses of the first instruction cache, of all fetches",
               "L1-icache-loads", "L1-icache-load-misses"),
      MissRate("llc-miss-rate", "cache", "Load misses of the last cache, of loads that reach it",
               "LLC-loads", "LLC-load-misses"),
      MissRate("dtlb-miss-rate", "tlb", "Loads whose page is not in the data TLB, of all loads",
               "dTLB-loads", "dTLB-load-misses"),
      MissRate("itlb-miss-rate", "tlb", "Fetches whose page is not in the instruction TLB",
               "iTLB-loads", "iTLB-load-misses"),
  };
}

// In order: Intel from Ice Lake on (perf_event_open's slots must lead the group), Intel before, AMD
// from Zen 4 on (for the kernel has no names: codes of
// linux/tools/perf/pmu-events/arch/x86/amdzen4, core.json, other.json; ls_not_halted_cyc,
// de_no_dispatch_per_slot.no_ops_from_frontend, .backend_stalls, ex_ret_ops, de_src_op_disp.all),
// arm64 with the stall_slot events.
const std::vector<std::vector<EventText>>& TopdownEvents() {
  static const std::vector<std::vector<EventText>> kEvents = {
      {"{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}"},
      {"{topdown-total-slots,topdown-slots-issued,topdown-slots-retired,topdown-fetch-bubbles,"
       "topdown-recovery-bubbles}"},
      {"{cpu/event=0x76/,cpu/event=0x1a0,umask=0x1/,cpu/event=0x1a0,umask=0x1e/,cpu/event=0xc1/,"
       "cpu/event=0xaa,umask=0x7/}"},
      {"{cpu_cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec}"}};
  return kEvents;
}

std::vector<MetricInfo> TopdownMetrics() {
  const auto of = [](std::string name, std::string description) {
    return MetricInfo{.name = std::move(name),
                      .group = "topdown",
                      .description = std::move(description),
                      .alternatives = TopdownEvents()};
  };
  return {
      of("retiring", "Slots of the pipeline that did useful work"),
      of("bad-speculation", "Slots of the pipeline whose work was thrown away"),
      of("frontend-bound", "Slots of the pipeline for which no instruction came"),
      of("backend-bound", "Slots of the pipeline that waited for data or units"),
      {.name = "smt-contention",
       .group = "topdown",
       .description = "Slots of the pipeline that the core's other thread took (AMD)",
       .alternatives = {{"{cpu/event=0x76/,cpu/event=0x1a0,umask=0x1/,"
                         "cpu/event=0x1a0,umask=0x1e/,cpu/event=0xc1/,cpu/event=0xaa,umask=0x7/,"
                         "cpu/event=0x1a0,umask=0x60/}"}}},
  };
}

bool IsSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::span<const MetricInfo> MetricCatalog() {
  static const std::vector<MetricInfo> kCatalog = [] {
    std::vector<MetricInfo> all;
    for (auto* part : {&SoftwareMetrics, &CoreMetrics, &MissRates, &TopdownMetrics}) {
      std::ranges::move(part(), std::back_inserter(all));
    }
    return all;
  }();
  return kCatalog;
}

Result<std::vector<const MetricInfo*>> FindMetrics(const std::string& name) {
  const std::string_view wanted = IsSame(name, "TopdownL1") ? "topdown" : std::string_view(name);
  std::vector<const MetricInfo*> found;
  std::set<std::string> names;
  for (const MetricInfo& metric : MetricCatalog()) {
    if (IsSame(metric.name, wanted) || IsSame(metric.group, wanted)) found.push_back(&metric);
    names.insert({metric.name, metric.group});
  }
  if (!found.empty()) return found;
  return Fail(ErrorKind::kNotFound, "metric '" + name + "' is not known",
              DidYouMean(NearestNames(name, {names.begin(), names.end()}, kNamesInHint),
                         "'prof list metric' shows all of them"));
}

}  // namespace prof::analysis::counts
