// Tables of perf's generic event names and the grammar of its cache event names.
#include "perf/generic_events.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "perf/number.h"
#include "perf/spec_builder.h"

namespace prof::perf {
namespace {

struct NamedEvent {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr auto kNamedEvents = std::to_array<NamedEvent>({
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
});

// One word of a cache event name; a word may have several spellings, the usual one first.
struct Word {
  std::string_view spelling;
  std::uint64_t id;
};
constexpr auto kCaches = std::to_array<Word>({
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"l1-d", PERF_COUNT_HW_CACHE_L1D},
    {"l1d", PERF_COUNT_HW_CACHE_L1D},       {"L1-data", PERF_COUNT_HW_CACHE_L1D},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I}, {"l1-i", PERF_COUNT_HW_CACHE_L1I},
    {"l1i", PERF_COUNT_HW_CACHE_L1I},       {"L1-instruction", PERF_COUNT_HW_CACHE_L1I},
    {"LLC", PERF_COUNT_HW_CACHE_LL},        {"L2", PERF_COUNT_HW_CACHE_LL},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB},     {"d-tlb", PERF_COUNT_HW_CACHE_DTLB},
    {"Data-TLB", PERF_COUNT_HW_CACHE_DTLB}, {"iTLB", PERF_COUNT_HW_CACHE_ITLB},
    {"i-tlb", PERF_COUNT_HW_CACHE_ITLB},    {"Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB},
    {"branch", PERF_COUNT_HW_CACHE_BPU},    {"bpu", PERF_COUNT_HW_CACHE_BPU},
    {"btb", PERF_COUNT_HW_CACHE_BPU},       {"bpc", PERF_COUNT_HW_CACHE_BPU},
    {"node", PERF_COUNT_HW_CACHE_NODE},
});
constexpr auto kOperations = std::to_array<Word>({
    {"load", PERF_COUNT_HW_CACHE_OP_READ},
    {"loads", PERF_COUNT_HW_CACHE_OP_READ},
    {"read", PERF_COUNT_HW_CACHE_OP_READ},
    {"store", PERF_COUNT_HW_CACHE_OP_WRITE},
    {"stores", PERF_COUNT_HW_CACHE_OP_WRITE},
    {"write", PERF_COUNT_HW_CACHE_OP_WRITE},
    {"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH},
    {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
    {"speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH},
    {"speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH},
});
constexpr auto kResults = std::to_array<Word>({
    {"refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"access", PERF_COUNT_HW_CACHE_RESULT_ACCESS},
    {"misses", PERF_COUNT_HW_CACHE_RESULT_MISS},
    {"miss", PERF_COUNT_HW_CACHE_RESULT_MISS},
});

// Which operations a cache has; one bit per PERF_COUNT_HW_CACHE_OP_*.
constexpr unsigned OperationsOf(std::uint64_t cache) {
  constexpr unsigned kRead = 1U << PERF_COUNT_HW_CACHE_OP_READ;
  constexpr unsigned kWrite = 1U << PERF_COUNT_HW_CACHE_OP_WRITE;
  constexpr unsigned kPrefetch = 1U << PERF_COUNT_HW_CACHE_OP_PREFETCH;
  switch (cache) {
    case PERF_COUNT_HW_CACHE_L1I:
      return kRead | kPrefetch;
    case PERF_COUNT_HW_CACHE_ITLB:
    case PERF_COUNT_HW_CACHE_BPU:
      return kRead;
    default:
      return kRead | kWrite | kPrefetch;
  }
}

// The longest of `words` at the start of `text` that ends there or before a dash; both are removed.
template <std::size_t kSize>
std::optional<std::uint64_t> TakeWord(const std::array<Word, kSize>& words,
                                      std::string_view& text) {
  const Word* best = nullptr;
  for (const Word& word : words) {
    const std::size_t size = word.spelling.size();
    const bool fits = text.size() >= size && (text.size() == size || text[size] == '-') &&
                      ::strncasecmp(text.data(), word.spelling.data(), size) == 0;
    if (fits && (best == nullptr || size > best->spelling.size())) best = &word;
  }
  if (best == nullptr) return std::nullopt;
  text.remove_prefix(std::min(best->spelling.size() + 1, text.size()));
  return best->id;
}

// <cache>[-<operation>][-<result>], the last two in any order.
std::optional<std::uint64_t> CacheConfig(std::string_view name) {
  if (name.ends_with('-')) return std::nullopt;
  const auto cache = TakeWord(kCaches, name);
  if (!cache) return std::nullopt;
  std::optional<std::uint64_t> operation;
  std::optional<std::uint64_t> result;
  while (!name.empty()) {
    if (!operation) {
      operation = TakeWord(kOperations, name);
      if (operation) continue;
    }
    if (result) return std::nullopt;
    result = TakeWord(kResults, name);
    if (!result) return std::nullopt;
  }
  const std::uint64_t op = operation.value_or(PERF_COUNT_HW_CACHE_OP_READ);
  if ((OperationsOf(*cache) & (1U << op)) == 0) return std::nullopt;
  return *cache | op << 8 | result.value_or(PERF_COUNT_HW_CACHE_RESULT_ACCESS) << 16;
}

bool IsClock(const NamedEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE &&
         (event.config == PERF_COUNT_SW_CPU_CLOCK || event.config == PERF_COUNT_SW_TASK_CLOCK);
}

}  // namespace

std::optional<EventSpec> FindGenericEvent(std::string_view name) {
  const auto* found = std::ranges::find(kNamedEvents, name, &NamedEvent::name);
  if (found != kNamedEvents.end()) {
    EventSpec spec = MakeSpec(found->type, found->config, std::string(name));
    if (IsClock(*found)) spec.desc.unit = model::EventUnit::kNanoseconds;
    return spec;
  }
  if (const auto config = CacheConfig(name)) {
    return MakeSpec(PERF_TYPE_HW_CACHE, *config, std::string(name));
  }
  return std::nullopt;
}

std::optional<EventSpec> FindRawEvent(std::string_view name) {
  if (!name.starts_with('r')) return std::nullopt;
  const auto config = ParseNumber(name.substr(1), 16);
  if (!config) return std::nullopt;
  return MakeSpec(PERF_TYPE_RAW, *config, std::string(name));
}

bool HappensInKernel(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_SOFTWARE && (attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             attr.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
                                             attr.config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool IsOfTheCores(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE ||
         attr.type == PERF_TYPE_RAW;
}

std::vector<std::string> GenericEventNames() {
  std::vector<std::string> names;
  for (const NamedEvent& event : kNamedEvents) names.emplace_back(event.name);
  std::uint64_t last = PERF_COUNT_HW_CACHE_MAX;
  for (const Word& cache : kCaches) {
    if (cache.id == last) continue;  // only the usual spelling
    last = cache.id;
    for (const std::string_view operation : {"load", "store", "prefetch"}) {
      std::string_view word = operation;
      if ((OperationsOf(cache.id) & (1U << *TakeWord(kOperations, word))) == 0) continue;
      const std::string name = std::string(cache.spelling) + "-" + std::string(operation);
      names.push_back(name + (operation == "prefetch" ? "es" : "s"));
      names.push_back(name + "-misses");
    }
  }
  return names;
}

EventSpec CyclesEvent() { return *FindGenericEvent("cycles"); }

EventSpec CpuClockEvent() { return *FindGenericEvent("cpu-clock"); }

}  // namespace prof::perf
