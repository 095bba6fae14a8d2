// Metrics against hand-computed values and perf's words.
#include "prof/analysis/counts/derived_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/counts/event_role.h"
#include "unit/analysis/counts/run_stream.h"

namespace prof::analysis::counts {
namespace {

using test::Cache;
using test::Cycles;
using test::Hardware;
using test::Instructions;
using test::PageFaults;
using test::Raw;
using test::Switches;
using test::TaskClock;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Input {
  model::EventDesc event;
  std::optional<double> value;
};

std::vector<DerivedMetric> Derive(const std::vector<Input>& inputs, double elapsed_s = 1,
                                  std::optional<double> slots = {}) {
  std::vector<model::EventDesc> events;
  std::vector<std::optional<double>> values;
  for (const Input& input : inputs) {
    events.push_back(input.event);
    values.push_back(input.value);
  }
  return DeriveMetrics(
      {.events = events, .values = values, .elapsed_s = elapsed_s, .slots_per_cycle = slots});
}

DerivedMetric Of(const std::vector<DerivedMetric>& metrics, const std::string& name) {
  for (const DerivedMetric& metric : metrics) {
    if (metric.name == name) return metric;
  }
  ADD_FAILURE() << "no metric " << name;
  return {};
}

model::EventDesc UserOnly(model::EventDesc event) {
  event.name += ":u";
  event.excludes_kernel = true;
  return event;
}

TEST(DerivedMetrics, ClocksGiveCpusUtilizedAsPerf) {
  // perf stat: 0.58 msec task-clock # 0.108 CPUs utilized, 0.005390581 seconds time elapsed.
  const auto metrics = Derive({{TaskClock(), 0.58e6}}, 0.005390581);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].event, 0U);
  EXPECT_EQ(metrics[0].unit, "CPUs utilized");
  EXPECT_NEAR(metrics[0].value, 0.108, 0.0005);
  EXPECT_FALSE(metrics[0].is_percent);
}

TEST(DerivedMetrics, PlainEventsHaveARatePerSecondOfCpuTimeAsPerf) {
  const auto migrations = test::Software("migrations", PERF_COUNT_SW_CPU_MIGRATIONS);
  const auto metrics = Derive({{TaskClock(), 0.582770e6},
                               {Switches(), 1.0},
                               {PageFaults(), 48.0},
                               {migrations, 0.0},
                               {Raw("sched:sched_switch"), 3e6}});
  EXPECT_NEAR(Of(metrics, "context-switch-rate").value, 1.716, 0.0005);
  EXPECT_EQ(Of(metrics, "context-switch-rate").unit, "K/sec");
  EXPECT_NEAR(Of(metrics, "page-fault-rate").value, 82.365, 0.0005);
  EXPECT_EQ(Of(metrics, "page-fault-rate").unit, "K/sec");
  EXPECT_EQ(Of(metrics, "migration-rate").value, 0);
  EXPECT_EQ(Of(metrics, "migration-rate").unit, "/sec");
  EXPECT_EQ(Of(metrics, "rate").unit, "G/sec");
}

TEST(DerivedMetrics, SystemWideRatesAreOfAllCpusTogether) {
  // perf stat -a: 206.92 msec cpu-clock # 2.032 CPUs utilized; 62 switches # 299.638 /sec.
  const auto metrics =
      Derive({{test::Software("cpu-clock", PERF_COUNT_SW_CPU_CLOCK), 206.92e6}, {Switches(), 62.0}},
             0.101824850);
  EXPECT_NEAR(Of(metrics, "cpus-utilized").value, 2.032, 0.0005);
  EXPECT_NEAR(Of(metrics, "context-switch-rate").value, 299.638, 0.01);
  EXPECT_EQ(Of(metrics, "context-switch-rate").unit, "/sec");
}

TEST(DerivedMetrics, NoClockNoRate) {
  EXPECT_THAT(Derive({{PageFaults(), 48.0}, {Cycles(), 5.0}, {Instructions(), std::nullopt}}),
              IsEmpty());
  EXPECT_THAT(Derive({{TaskClock(), 0.0}, {PageFaults(), 48.0}}, 0), IsEmpty());
}

TEST(DerivedMetrics, EventsWithAUnitOfTheirOwnHaveNoRate) {
  model::EventDesc energy = Raw("power/energy-pkg/");
  energy.scale_unit = "Joules";
  EXPECT_EQ(Derive({{TaskClock(), 1e9}, {energy, 5.0}}).size(), 1U);
}

TEST(DerivedMetrics, CyclesAndInstructions) {
  const auto metrics = Derive({{TaskClock(), 2e9}, {Cycles(), 6e9}, {Instructions(), 9e9}});
  EXPECT_DOUBLE_EQ(Of(metrics, "frequency").value, 3);
  EXPECT_EQ(Of(metrics, "frequency").unit, "GHz");
  EXPECT_DOUBLE_EQ(Of(metrics, "ipc").value, 1.5);
  EXPECT_EQ(Of(metrics, "ipc").unit, "insn per cycle");
  EXPECT_EQ(Of(metrics, "ipc").event, 2U);
  EXPECT_EQ(Of(metrics, "ipc").verdict, "");
}

TEST(DerivedMetrics, SharesInPercentWithPerfsWords) {
  using Words = std::pair<const char*, const char*>;
  const std::vector<std::tuple<std::uint64_t, Words, const char*>> caches = {
      {PERF_COUNT_HW_CACHE_L1D, {"L1-dcache-loads", "l1d-miss-rate"}, "of all L1-dcache accesses"},
      {PERF_COUNT_HW_CACHE_L1I, {"L1-icache-loads", "l1i-miss-rate"}, "of all L1-icache accesses"},
      {PERF_COUNT_HW_CACHE_LL, {"LLC-loads", "llc-miss-rate"}, "of all LL-cache accesses"},
      {PERF_COUNT_HW_CACHE_DTLB, {"dTLB-loads", "dtlb-miss-rate"}, "of all dTLB cache accesses"},
      {PERF_COUNT_HW_CACHE_ITLB, {"iTLB-loads", "itlb-miss-rate"}, "of all iTLB cache accesses"}};
  for (const auto& [cache, names, unit] : caches) {
    const auto metrics =
        Derive({{Cache(names.first, cache, 0), 400.0}, {Cache("misses", cache, 1), 30.0}});
    const DerivedMetric share = Of(metrics, names.second);
    EXPECT_DOUBLE_EQ(share.value, 7.5) << unit;
    EXPECT_EQ(share.unit, unit);
    EXPECT_TRUE(share.is_percent);
    EXPECT_EQ(share.event, 1U);
  }
  const auto metrics =
      Derive({{Hardware("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS), 1000.0},
              {Hardware("branch-misses", PERF_COUNT_HW_BRANCH_MISSES), 20.0},
              {Hardware("cache-references", PERF_COUNT_HW_CACHE_REFERENCES), 100.0},
              {Hardware("cache-misses", PERF_COUNT_HW_CACHE_MISSES), 5.0}});
  EXPECT_DOUBLE_EQ(Of(metrics, "branch-miss-rate").value, 2);
  EXPECT_EQ(Of(metrics, "branch-miss-rate").unit, "of all branches");
  EXPECT_DOUBLE_EQ(Of(metrics, "cache-miss-rate").value, 5);
  EXPECT_EQ(Of(metrics, "cache-miss-rate").unit, "of all cache refs");
}

TEST(DerivedMetrics, StalledCycles) {
  const auto front = Hardware("front", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
  const auto back = Hardware("back", PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
  const auto metrics =
      Derive({{Cycles(), 1000.0}, {Instructions(), 2000.0}, {front, 200.0}, {back, 500.0}});
  EXPECT_DOUBLE_EQ(Of(metrics, "frontend-idle").value, 20);
  EXPECT_EQ(Of(metrics, "frontend-idle").unit, "frontend cycles idle");
  EXPECT_DOUBLE_EQ(Of(metrics, "backend-idle").value, 50);
  EXPECT_EQ(Of(metrics, "backend-idle").unit, "backend cycles idle");
  EXPECT_DOUBLE_EQ(Of(metrics, "stalled-per-insn").value, 0.25);
  EXPECT_EQ(Of(metrics, "stalled-per-insn").unit, "stalled cycles per insn");
  EXPECT_EQ(Of(metrics, "stalled-per-insn").event, std::nullopt);
}

TEST(DerivedMetrics, EventsPairOnlyWithThoseOfTheSameModesAndPmu) {
  EXPECT_THAT(Derive({{UserOnly(Cycles()), 100.0}, {Instructions(), 200.0}}), IsEmpty());
  const auto metrics = Derive({{Cycles(), 100.0},
                               {Instructions(), 200.0},
                               {UserOnly(Cycles()), 50.0},
                               {UserOnly(Instructions()), 25.0}});
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_DOUBLE_EQ(metrics[0].value, 2);
  EXPECT_DOUBLE_EQ(metrics[1].value, 0.5);
  EXPECT_EQ(metrics[1].event, 3U);

  model::EventDesc core = Cycles();
  core.attr_config |= std::uint64_t{4} << 32;
  model::EventDesc atom = Instructions();
  atom.attr_config |= std::uint64_t{10} << 32;
  EXPECT_THAT(Derive({{core, 100.0}, {atom, 200.0}}), IsEmpty());
}

TEST(Topdown, IntelPerfMetricsShareOutTheirSum) {
  const auto metrics = Derive({{Raw("slots"), 990.0},
                               {Raw("topdown-retiring"), 300.0},
                               {Raw("cpu_core/topdown-bad-spec/u"), 100.0},
                               {Raw("topdown-fe-bound:u"), 200.0},
                               {Raw("cpu/topdown-be-bound/"), 400.0}});
  ASSERT_EQ(metrics.size(), 4U);
  EXPECT_DOUBLE_EQ(Of(metrics, "retiring").value, 30);
  EXPECT_DOUBLE_EQ(Of(metrics, "bad-speculation").value, 10);
  EXPECT_DOUBLE_EQ(Of(metrics, "frontend-bound").value, 20);
  EXPECT_DOUBLE_EQ(Of(metrics, "backend-bound").value, 40);
  EXPECT_EQ(Of(metrics, "backend-bound").unit, "backend bound");
  EXPECT_EQ(Of(metrics, "backend-bound").event, std::nullopt);
  EXPECT_THAT(Of(metrics, "backend-bound").verdict, HasSubstr("backend bound 40.0 %: "));
  EXPECT_EQ(Of(metrics, "retiring").verdict, "");
}

TEST(Topdown, OlderIntelEvents) {
  const auto metrics = Derive({{Raw("topdown-total-slots"), 1000.0},
                               {Raw("topdown-slots-issued"), 600.0},
                               {Raw("topdown-slots-retired"), 500.0},
                               {Raw("topdown-fetch-bubbles"), 120.0},
                               {Raw("topdown-recovery-bubbles"), 30.0}});
  EXPECT_DOUBLE_EQ(Of(metrics, "retiring").value, 50);
  EXPECT_DOUBLE_EQ(Of(metrics, "bad-speculation").value, 13);
  EXPECT_DOUBLE_EQ(Of(metrics, "frontend-bound").value, 12);
  EXPECT_NEAR(Of(metrics, "backend-bound").value, 25, 1e-9);
}

TEST(Topdown, AmdByTheCodesOfTheCatalog) {
  const std::vector<Input> inputs = {{Raw("cpu/event=0x76/"), 100.0},
                                     {Raw("cpu/event=0x1a0,umask=0x1/"), 60.0},
                                     {Raw("cpu/event=0x1a0,umask=0x1e/"), 150.0},
                                     {Raw("cpu/event=0xc1/"), 240.0},
                                     {Raw("cpu/event=0xaa,umask=0x7/"), 270.0},
                                     {Raw("cpu/event=0x1a0,umask=0x60/"), 120.0}};
  const auto metrics = Derive(inputs, 1, 6);
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_DOUBLE_EQ(Of(metrics, "retiring").value, 40);
  EXPECT_DOUBLE_EQ(Of(metrics, "bad-speculation").value, 5);
  EXPECT_DOUBLE_EQ(Of(metrics, "frontend-bound").value, 10);
  EXPECT_DOUBLE_EQ(Of(metrics, "backend-bound").value, 25);
  EXPECT_DOUBLE_EQ(Of(metrics, "smt-contention").value, 20);
  EXPECT_THAT(Derive(inputs), IsEmpty()) << "the number of slots is not known";
}

TEST(Topdown, Arm64NeedsTheSlotsOfItsPmu) {
  const std::vector<Input> inputs = {
      {Raw("cpu_cycles"), 100.0},         {Raw("stall_slot"), 500.0},
      {Raw("stall_slot_frontend"), 80.0}, {Raw("stall_slot_backend"), 420.0},
      {Raw("op_retired"), 270.0},         {Raw("op_spec"), 300.0}};
  const auto metrics = Derive(inputs, 1, 8);
  EXPECT_DOUBLE_EQ(Of(metrics, "frontend-bound").value, 10);
  EXPECT_DOUBLE_EQ(Of(metrics, "backend-bound").value, 52.5);
  EXPECT_DOUBLE_EQ(Of(metrics, "retiring").value, 33.75);
  EXPECT_NEAR(Of(metrics, "bad-speculation").value, 3.75, 1e-9);
  EXPECT_THAT(Derive(inputs), IsEmpty());
}

TEST(Verdicts, OneLineBeyondEachLimit) {
  const auto ipc = [](double instructions) {
    return Of(Derive({{Cycles(), 100.0}, {Instructions(), instructions}}), "ipc").verdict;
  };
  EXPECT_EQ(ipc(62), "IPC 0.62: likely memory-bound or stalled");
  EXPECT_EQ(ipc(70), "");
  const auto start_up = Derive({{TaskClock(), 5e6}, {Cycles(), 100.0}, {Instructions(), 62.0}});
  EXPECT_EQ(Of(start_up, "ipc").verdict, "");
  EXPECT_EQ(ipc(249), "");
  EXPECT_EQ(ipc(250), "IPC 2.50: the CPU is kept busy; fewer instructions would save time");

  const auto cpus = [](double seconds, double elapsed) {
    return Of(Derive({{TaskClock(), seconds * 1e9}}, elapsed), "cpus-utilized").verdict;
  };
  EXPECT_EQ(cpus(0.2, 1),
            "CPUs utilized 0.20: mostly waiting, not computing: look at off-CPU time");
  EXPECT_EQ(cpus(0.99, 1), "");
  EXPECT_EQ(cpus(3.97, 1), "3.97 CPUs busy on average");
  EXPECT_EQ(cpus(0.001, 0.01), "") << "a program this short mostly starts and ends";

  const auto faults = [](double count, double cpu_s) {
    return Of(Derive({{TaskClock(), cpu_s * 1e9}, {PageFaults(), count}}), "page-fault-rate")
        .verdict;
  };
  EXPECT_THAT(faults(250'000, 1),
              HasSubstr("page faults per second of CPU time 250,000: memory is touched"));
  EXPECT_EQ(faults(90'000, 1), "");
  EXPECT_EQ(faults(800, 0.005), "");
  const auto branches = Derive({{Hardware("b", PERF_COUNT_HW_BRANCH_INSTRUCTIONS), 1000.0},
                                {Hardware("m", PERF_COUNT_HW_BRANCH_MISSES), 80.0}});
  EXPECT_THAT(Of(branches, "branch-miss-rate").verdict, HasSubstr("branch misses 8.0 %: "));
}

TEST(Verdicts, IdleCpusThatAreCountedSayNothingAboutUse) {
  const std::vector<model::EventDesc> events = {TaskClock()};
  const std::vector<std::optional<double>> values = {2e9};
  const auto metrics =
      DeriveMetrics({.events = events, .values = values, .elapsed_s = 1, .whole_cpus = true});
  EXPECT_DOUBLE_EQ(Of(metrics, "cpus-utilized").value, 2);
  EXPECT_EQ(Of(metrics, "cpus-utilized").verdict, "");
}

TEST(DerivedMetrics, NumbersWithoutASizeGiveNothing) {
  EXPECT_THAT(Derive({{TaskClock(), std::nan("")}, {Cycles(), INFINITY}, {PageFaults(), 4.0}}),
              IsEmpty());
  const auto huge = Derive({{TaskClock(), 1e-300}, {PageFaults(), 1e300}});
  for (const DerivedMetric& metric : huge) EXPECT_TRUE(std::isfinite(metric.value));
}

// The events of one text for -e, without the braces of a group.
std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> names(1);
  bool in_pmu = false;
  for (const char c : text) {
    if (c == '/') in_pmu = !in_pmu;
    if (c == ',' && !in_pmu) {
      names.emplace_back();
    } else if (c != '{' && c != '}') {
      names.back() += c;
    }
  }
  return names;
}

model::EventDesc Named(const std::string& name) {
  const std::uint64_t miss = PERF_COUNT_HW_CACHE_RESULT_MISS;
  const std::map<std::string, model::EventDesc> known = {
      {"task-clock", TaskClock()},
      {"cpu-clock", test::Software(name, PERF_COUNT_SW_CPU_CLOCK)},
      {"page-faults", PageFaults()},
      {"context-switches", Switches()},
      {"cpu-migrations", test::Software(name, PERF_COUNT_SW_CPU_MIGRATIONS)},
      {"cycles", Cycles()},
      {"instructions", Instructions()},
      {"branches", Hardware(name, PERF_COUNT_HW_BRANCH_INSTRUCTIONS)},
      {"branch-misses", Hardware(name, PERF_COUNT_HW_BRANCH_MISSES)},
      {"cache-references", Hardware(name, PERF_COUNT_HW_CACHE_REFERENCES)},
      {"cache-misses", Hardware(name, PERF_COUNT_HW_CACHE_MISSES)},
      {"stalled-cycles-frontend", Hardware(name, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND)},
      {"stalled-cycles-backend", Hardware(name, PERF_COUNT_HW_STALLED_CYCLES_BACKEND)},
      {"L1-dcache-loads", Cache(name, PERF_COUNT_HW_CACHE_L1D, 0)},
      {"L1-dcache-load-misses", Cache(name, PERF_COUNT_HW_CACHE_L1D, miss)},
      {"L1-icache-loads", Cache(name, PERF_COUNT_HW_CACHE_L1I, 0)},
      {"L1-icache-load-misses", Cache(name, PERF_COUNT_HW_CACHE_L1I, miss)},
      {"LLC-loads", Cache(name, PERF_COUNT_HW_CACHE_LL, 0)},
      {"LLC-load-misses", Cache(name, PERF_COUNT_HW_CACHE_LL, miss)},
      {"dTLB-loads", Cache(name, PERF_COUNT_HW_CACHE_DTLB, 0)},
      {"dTLB-load-misses", Cache(name, PERF_COUNT_HW_CACHE_DTLB, miss)},
      {"iTLB-loads", Cache(name, PERF_COUNT_HW_CACHE_ITLB, 0)},
      {"iTLB-load-misses", Cache(name, PERF_COUNT_HW_CACHE_ITLB, miss)}};
  const auto found = known.find(name);
  return found == known.end() ? Raw(name) : found->second;
}

TEST(MetricCatalog, EveryAlternativeGivesItsMetric) {
  std::set<std::string> names;
  for (const MetricInfo& metric : MetricCatalog()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.description.empty());
    EXPECT_FALSE(metric.alternatives.empty());
    for (const auto& alternative : metric.alternatives) {
      std::vector<Input> inputs;
      for (const EventText& text : alternative) {
        for (const std::string& name : Split(text)) {
          inputs.push_back({Named(name), 100.0 + static_cast<double>(inputs.size())});
        }
      }
      EXPECT_EQ(Of(Derive(inputs, 1, 6), metric.name).name, metric.name) << alternative.front();
    }
  }
}

TEST(MetricCatalog, IsFoundByNameAndGroup) {
  const auto names_of = [](const std::string& wanted) {
    std::vector<std::string> names;
    const auto found = FindMetrics(wanted);
    EXPECT_TRUE(found.has_value()) << wanted;
    if (!found) return names;
    for (const MetricInfo* metric : *found) names.push_back(metric->name);
    return names;
  };
  EXPECT_THAT(names_of("IPC"), ::testing::ElementsAre("ipc"));
  EXPECT_THAT(names_of("tlb"), ::testing::ElementsAre("dtlb-miss-rate", "itlb-miss-rate"));
  EXPECT_EQ(names_of("TopdownL1"), names_of("topdown"));
  EXPECT_EQ(names_of("topdown").size(), 5U);
  const auto wrong = FindMetrics("icp");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(wrong.error().message, "metric 'icp' is not known");
  EXPECT_THAT(wrong.error().hint, HasSubstr("'ipc'"));
}

TEST(SlotsPerCycle, OfAmdByFamilyAndModel) {
  const auto cpuinfo = [](int family, int model) {
    return "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: " + std::to_string(family) +
           "\nmodel\t\t: " + std::to_string(model) + "\nmodel name\t: AMD EPYC\n";
  };
  EXPECT_EQ(SlotsPerCycle(cpuinfo(0x19, 0x11)), 6);
  EXPECT_EQ(SlotsPerCycle(cpuinfo(0x19, 0xa0)), 6);
  EXPECT_EQ(SlotsPerCycle(cpuinfo(0x19, 0x01)), std::nullopt) << "Zen 3";
  EXPECT_EQ(SlotsPerCycle(cpuinfo(0x1a, 0x02)), 8);
  EXPECT_EQ(SlotsPerCycle(cpuinfo(0x1a, 0x50)), std::nullopt) << "Zen 6";
  EXPECT_EQ(SlotsPerCycle("vendor_id\t: GenuineIntel\ncpu family\t: 25\nmodel\t\t: 17\n"),
            std::nullopt);
  EXPECT_EQ(SlotsPerCycle("AuthenticAMD cpu family"), std::nullopt);
}

}  // namespace
}  // namespace prof::analysis::counts
