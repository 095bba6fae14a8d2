// Texts for names that mean the same on every machine, and for events of the kernel's PMU drivers.
#include "perf/event_descriptions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace prof::perf {
namespace {

using Text = std::pair<std::string_view, std::string_view>;

// Meanings: perf_event_open(2).
constexpr auto kGeneric = std::to_array<Text>({
    {"cycles", "CPU cycles while not halted; their rate changes with the CPU's frequency"},
    {"instructions", "retired instructions"},
    {"cache-references", "cache accesses, usually of the last level"},
    {"cache-misses", "cache misses, usually of the last level"},
    {"branches", "retired branch instructions"},
    {"branch-misses", "mispredicted branch instructions"},
    {"bus-cycles", "cycles of the bus, at a constant rate on many CPUs"},
    {"stalled-cycles-frontend", "cycles in which no instruction could be fetched or decoded"},
    {"stalled-cycles-backend", "cycles in which no instruction could be executed or retired"},
    {"ref-cycles", "cycles at the constant nominal rate while not halted"},
    {"cpu-clock", "time by the CPU's high-resolution timer; samples need no PMU"},
    {"task-clock", "CPU time of the task"},
    {"page-faults", "page faults, minor and major"},
    {"context-switches", "switches to another thread"},
    {"cpu-migrations", "moves of a thread to another CPU"},
    {"minor-faults", "page faults that needed no disk"},
    {"major-faults", "page faults that waited for a disk"},
    {"alignment-faults", "unaligned accesses that the kernel carried out (never on x86)"},
    {"emulation-faults", "instructions that the kernel emulated"},
    {"dummy", "counts nothing; carries records of mappings, forks and switches"},
    {"bpf-output", "records that BPF programs write"},
    {"cgroup-switches", "switches to a thread of another cgroup"},
});

constexpr auto kCaches = std::to_array<Text>({
    {"L1-dcache", "level 1 data cache"},
    {"L1-icache", "level 1 instruction cache"},
    {"LLC", "last level cache"},
    {"dTLB", "data TLB"},
    {"iTLB", "instruction TLB"},
    {"branch", "branch prediction unit"},
    {"node", "memory of the own NUMA node"},
});

// Names from arch/x86/events, arch/arm64 and drivers/perf of the kernel.
constexpr auto kPmu = std::to_array<Text>({
    {"cpu-cycles", "CPU cycles while not halted"},
    {"cpu_cycles", "CPU cycles while not halted"},
    {"instructions", "retired instructions"},
    {"inst_retired", "retired instructions"},
    {"cache-references", "cache accesses of the last level"},
    {"cache-misses", "cache misses of the last level"},
    {"branch-instructions", "retired branch instructions"},
    {"branch-misses", "mispredicted branch instructions"},
    {"bus-cycles", "cycles of the bus"},
    {"ref-cycles", "cycles at the constant nominal rate while not halted"},
    {"stalled-cycles-frontend", "cycles in which no instruction could be fetched or decoded"},
    {"stalled-cycles-backend", "cycles in which no instruction could be executed or retired"},
    {"mem-loads", "loads with their latency and source, from ldlat cycles on"},
    {"mem-loads-aux", "leads the group that samples mem-loads on this CPU"},
    {"mem-stores", "stores with their addresses"},
    {"slots", "issue slots of the pipeline; leads the groups of topdown-* events"},
    {"topdown-retiring", "slots of useful work, in a group that slots leads"},
    {"topdown-bad-spec", "slots wasted on wrong speculation, in a group that slots leads"},
    {"topdown-fe-bound", "slots the frontend left empty, in a group that slots leads"},
    {"topdown-be-bound", "slots the backend could not take, in a group that slots leads"},
    {"topdown-heavy-ops", "retiring slots of instructions with several micro-operations"},
    {"topdown-br-mispredict", "bad-spec slots of mispredicted branches"},
    {"topdown-fetch-lat", "fe-bound slots of fetch latency"},
    {"topdown-mem-bound", "be-bound slots that waited for memory"},
    {"topdown-total-slots", "issue slots of the pipeline"},
    {"topdown-slots-issued", "slots in which something was issued"},
    {"topdown-slots-retired", "slots in which something retired"},
    {"topdown-fetch-bubbles", "slots the frontend left empty"},
    {"topdown-recovery-bubbles", "slots lost while recovering from wrong speculation"},
    {"energy-pkg", "energy used by the processor package"},
    {"energy-cores", "energy used by all cores of the package"},
    {"energy-ram", "energy used by the memory of the package"},
    {"energy-gpu", "energy used by the graphics unit"},
    {"energy-psys", "energy used by the whole platform"},
    {"tsc", "ticks of the time stamp counter"},
    {"aperf", "cycles at the actual frequency while not halted"},
    {"mperf", "cycles at the nominal frequency while not halted"},
    {"pperf", "cycles of productive work"},
    {"smi", "system management interrupts"},
    {"cas_count_read", "bytes read from memory"},
    {"cas_count_write", "bytes written to memory"},
    {"clockticks", "cycles of the unit's own clock"},
});

template <std::size_t kSize>
std::string_view TextOf(const std::array<Text, kSize>& texts, std::string_view name) {
  const auto* found = std::ranges::find(texts, name, &Text::first);
  return found == texts.end() ? std::string_view() : found->second;
}

}  // namespace

std::string DescribeGenericEvent(std::string_view name) {
  if (const std::string_view text = TextOf(kGeneric, name); !text.empty()) return std::string(text);
  for (const auto& [cache, where] : kCaches) {
    if (!name.starts_with(cache)) continue;
    const bool misses = name.ends_with("-misses");
    const char* what = name.find("-load") != std::string_view::npos    ? "loads"
                       : name.find("-store") != std::string_view::npos ? "stores"
                                                                       : "prefetches";
    return std::string(what) + (misses ? " that missed: " : ": ") + std::string(where);
  }
  return "";
}

std::string_view DescribePmuEvent(std::string_view name) { return TextOf(kPmu, name); }

}  // namespace prof::perf
