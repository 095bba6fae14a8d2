// The whole report: rows, quantities, outliers explained, notes.
#include "prof/analysis/counts/stat_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/counts/noise.h"
#include "unit/analysis/counts/run_stream.h"

namespace prof::analysis::counts {
namespace {

using test::PageFaults;
using test::RunStream;
using test::TaskClock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> LabelsOf(const StatReport& report) {
  std::vector<std::string> labels;
  for (const StatValue& value : report.sides[0].values) labels.push_back(value.label);
  return labels;
}

// Two sockets of two cores, one node each; CPUs 0 and 2 on socket 0.
std::vector<CpuPlace> Topology() {
  return {{.cpu = 0, .socket = 0, .core = 0, .node = 0},
          {.cpu = 1, .socket = 1, .core = 0, .node = 1},
          {.cpu = 2, .socket = 0, .core = 1, .node = 0},
          {.cpu = 3, .socket = 1, .core = 1, .node = 1}};
}

RunStream FourCpus() {
  RunStream stream;
  stream.Target(model::TargetKind::kSystem);
  stream.Side("");
  stream.Event(TaskClock());
  stream.Event(PageFaults());
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
    stream.Read(0, 1'000'000'000, {.cpu = cpu});
    stream.Read(1, 10 + cpu, {.cpu = cpu});
  }
  stream.Run(1);
  return stream;
}

TEST(StatReport, OneRunShowsItsValues) {
  RunStream stream;
  stream.Target(model::TargetKind::kCommand);
  stream.Side("./app -x");
  stream.Event(TaskClock());
  stream.Event(PageFaults());
  stream.Read(0, 500'000'000);
  stream.Read(1, 48, {}, 100, 50);
  stream.Run(1, 0, [](model::RunDef& run) { run.user_ns = 400'000'000; });
  const StatReport report = BuildStatReport(stream.runs(), {});
  EXPECT_EQ(report.target_text, "'./app -x'");
  ASSERT_EQ(report.sides.size(), 1U);
  const StatSide& side = report.sides[0];
  EXPECT_EQ(side.runs, 1U);
  ASSERT_EQ(side.values.size(), 2U);
  EXPECT_DOUBLE_EQ(side.values[0].value, 500);
  EXPECT_EQ(side.values[0].unit, "msec");
  EXPECT_EQ(side.values[0].running_ns, 100U);
  EXPECT_FALSE(side.values[0].repeats.has_value());
  ASSERT_TRUE(side.values[0].metric.has_value());
  EXPECT_DOUBLE_EQ(side.values[0].metric->value, 0.5);
  EXPECT_DOUBLE_EQ(side.values[1].value, 96);
  EXPECT_DOUBLE_EQ(side.values[1].counted_share, 0.5);
  ASSERT_EQ(side.quantities.size(), 2U);
  EXPECT_EQ(side.quantities[1].quantity.name, "user");
  EXPECT_DOUBLE_EQ(side.quantities[1].value, 0.4);
  EXPECT_FALSE(side.quantities[1].repeats.has_value());
  EXPECT_THAT(report.notes, ElementsAre("1 event shared the counters: shown values are "
                                        "extrapolated from 50 % of the time"));
  EXPECT_THAT(report.comparisons, IsEmpty());
}

TEST(StatReport, RepeatsShowMeansAndSummaries) {
  RunStream stream;
  stream.Side("a");
  stream.Event(PageFaults());
  for (const std::uint64_t faults : {10U, 20U, 60U}) {
    stream.Read(0, faults);
    stream.Run(static_cast<double>(faults) / 10);
  }
  const StatReport report = BuildStatReport(stream.runs(), {});
  const StatSide& side = report.sides[0];
  EXPECT_DOUBLE_EQ(side.values[0].value, 30);
  ASSERT_TRUE(side.values[0].repeats.has_value());
  EXPECT_DOUBLE_EQ(side.values[0].repeats->median, 20);
  EXPECT_DOUBLE_EQ(side.quantities[0].value, 3);
  EXPECT_DOUBLE_EQ(side.quantities[0].repeats->median, 2);
  ASSERT_EQ(side.table.size(), 3U);
  EXPECT_EQ(side.table[2].run, 3U);
  EXPECT_DOUBLE_EQ(side.table[2].elapsed_s, 6);
  EXPECT_DOUBLE_EQ(side.table[2].difference_s, 3);
  EXPECT_FALSE(side.histogram.has_value());
}

TEST(StatReport, TenRunsHaveAHistogramAndADriftIsSaid) {
  RunStream stream;
  stream.Side("a");
  for (int run = 0; run < 12; ++run) stream.Run(1 + 0.01 * run);
  const StatReport report = BuildStatReport(stream.runs(), {});
  const StatSide& side = report.sides[0];
  ASSERT_TRUE(side.histogram.has_value());
  ASSERT_EQ(side.drifts.size(), 1U);
  EXPECT_THAT(side.drifts[0], HasSubstr("time elapsed drifts: the last third of the runs is 7.6 % "
                                        "slower than the first (p < 0.0001)"));
}

TEST(Aggregation, LabelsAndSumsArePerfs) {
  const RunStream stream = FourCpus();
  const auto report_by = [&stream](Aggregation aggregation) {
    return BuildStatReport(stream.runs(), {.aggregation = aggregation, .topology = Topology()});
  };
  const StatReport cpus = report_by(Aggregation::kCpu);
  EXPECT_THAT(LabelsOf(cpus),
              ElementsAre("CPU0", "CPU0", "CPU1", "CPU1", "CPU2", "CPU2", "CPU3", "CPU3"));
  EXPECT_DOUBLE_EQ(cpus.sides[0].values[3].value, 11);
  EXPECT_DOUBLE_EQ(cpus.sides[0].values[2].metric->value, 1);
  EXPECT_EQ(cpus.sides[0].values[3].metric->unit, "/sec");
  const StatReport cores = report_by(Aggregation::kCore);
  EXPECT_THAT(LabelsOf(cores), ElementsAre("S0-D0-C0", "S0-D0-C0", "S0-D0-C1", "S0-D0-C1",
                                           "S1-D0-C0", "S1-D0-C0", "S1-D0-C1", "S1-D0-C1"));
  EXPECT_EQ(cores.sides[0].values[0].aggregated, 1U);
  const StatReport sockets = report_by(Aggregation::kSocket);
  EXPECT_THAT(LabelsOf(sockets), ElementsAre("S0", "S0", "S1", "S1"));
  EXPECT_DOUBLE_EQ(sockets.sides[0].values[1].value, 22);
  EXPECT_DOUBLE_EQ(sockets.sides[0].values[0].metric->value, 2);
  EXPECT_EQ(sockets.sides[0].values[1].aggregated, 2U);
  const StatReport nodes = report_by(Aggregation::kNode);
  EXPECT_THAT(LabelsOf(nodes), ElementsAre("N0", "N0", "N1", "N1"));
  EXPECT_DOUBLE_EQ(nodes.sides[0].values[3].value, 24);
  const StatReport total = report_by(Aggregation::kTotal);
  EXPECT_THAT(LabelsOf(total), ElementsAre("", ""));
  EXPECT_DOUBLE_EQ(total.sides[0].values[1].value, 46);
  EXPECT_EQ(total.target_text, "system wide");
  EXPECT_THAT(total.sides[0].verdicts, IsEmpty()) << "idle CPUs count, too";
}

TEST(Aggregation, CpusThatTheTopologyLacksStayThemselves) {
  RunStream stream;
  stream.Side("");
  stream.Event(PageFaults());
  stream.Read(0, 1, {.cpu = 9});
  stream.Read(0, 2, {.cpu = 1});
  stream.Run(1);
  const StatReport report =
      BuildStatReport(stream.runs(), {.aggregation = Aggregation::kSocket, .topology = Topology()});
  EXPECT_THAT(LabelsOf(report), ElementsAre("S1", "CPU9"));
}

TEST(Aggregation, ThreadsComeByTheFirstEventsValue) {
  RunStream stream;
  stream.Side("77");
  stream.Target(model::TargetKind::kProcesses);
  stream.Event(TaskClock());
  stream.Event(PageFaults());
  for (const auto& [tid, name, clock] :
       {std::tuple{77U, "main", 5U}, {78U, "worker", 900U}, {79U, "logger", 30U}}) {
    const auto thread = stream.Thread(tid, name);
    stream.Read(0, clock, {.thread = thread});
    stream.Read(1, tid, {.thread = thread});
  }
  stream.Run(1);
  const StatReport report = BuildStatReport(stream.runs(), {.aggregation = Aggregation::kThread});
  EXPECT_THAT(LabelsOf(report), ElementsAre("worker-78", "worker-78", "logger-79", "logger-79",
                                            "main-77", "main-77"));
  EXPECT_DOUBLE_EQ(report.sides[0].values[1].value, 78);
  EXPECT_EQ(report.target_text, "process id '77'");
}

TEST(Aggregation, AnEventOfOneCpuHasNoRowOnTheOthers) {
  RunStream stream;
  stream.Side("");
  stream.Event(PageFaults());
  stream.Event(test::Raw("uncore/reads/"));
  stream.Event(test::Refused("cycles", "no PMU"));
  stream.Read(0, 1, {.cpu = 0});
  stream.Read(0, 2, {.cpu = 1});
  stream.Read(1, 3, {.cpu = 0});
  stream.Run(1);
  const StatReport report = BuildStatReport(stream.runs(), {.aggregation = Aggregation::kCpu});
  EXPECT_THAT(LabelsOf(report), ElementsAre("CPU0", "CPU0", "CPU0", "CPU1", "CPU1"));
  EXPECT_EQ(report.sides[0].values[2].state, CountState::kNotSupported);
  EXPECT_EQ(report.sides[0].values[4].state, CountState::kNotSupported);
}

// Ten runs of 1 s, a little different; the seventh takes `excess_s` longer.
StatSide WithSlowRun(double excess_s, const std::function<void(model::RunDef&)>& usual,
                     const std::function<void(model::RunDef&)>& slow) {
  RunStream stream;
  stream.Side("a");
  for (int run = 0; run < 10; ++run) {
    const bool is_slow = run == 6;
    stream.Run((is_slow ? 1 + excess_s : 1) + 0.001 * (run % 3), 0, [&](model::RunDef& def) {
      usual(def);
      if (is_slow) slow(def);
    });
  }
  return BuildStatReport(stream.runs(), {}).sides[0];
}

TEST(Outliers, AreExplainedByTheWitnessesThatStandOut) {
  const auto usual = [](model::RunDef& run) {
    run.noise = {.wait_ns = 1'000'000, .major_faults = 2, .steal_ns = 0};
  };
  const StatSide side = WithSlowRun(0.5, usual, [](model::RunDef& run) {
    run.noise.wait_ns = 410'000'000;
    run.noise.major_faults = 3012;
  });
  ASSERT_EQ(side.outliers.size(), 1U);
  EXPECT_EQ(side.outliers[0].run, 7U);
  EXPECT_NEAR(side.outliers[0].value, 1.5, 1e-9);
  EXPECT_NEAR(side.outliers[0].median, 1.001, 1e-9);
  EXPECT_THAT(side.outliers[0].causes,
              ElementsAre("waited 0.41 s for a CPU", "3,012 major page faults"));
}

TEST(Outliers, EveryWitnessHasItsWords) {
  const auto usual = [](model::RunDef& run) {
    run.noise = {.wait_ns = 0,
                 .involuntary_switches = 5,
                 .minor_faults = 100,
                 .major_faults = 0,
                 .migrations = 1,
                 .steal_ns = 0,
                 .other_cpu_ns = 50'000'000,
                 .cpu_pressure_ns = 0,
                 .io_pressure_ns = 0,
                 .memory_pressure_ns = 0,
                 .frequency_khz = 3'400'000};
  };
  using Change = std::function<void(model::RunNoise&)>;
  const std::vector<std::pair<Change, std::string>> witnesses = {
      {[](auto& n) { n.steal_ns = 200'000'000; }, "the hypervisor took 0.20 s"},
      {[](auto& n) { n.other_cpu_ns = 1'200'000'000; },
       "other programs used 1.20 s of CPU meanwhile"},
      {[](auto& n) { n.io_pressure_ns = 300'000'000; }, "stalled 0.30 s on I/O"},
      {[](auto& n) { n.memory_pressure_ns = 300'000'000; }, "stalled 0.30 s on memory"},
      {[](auto& n) { n.cpu_pressure_ns = 300'000'000; },
       "some task waited for a CPU during 0.30 s"},
      {[](auto& n) { n.involuntary_switches = 412; }, "412 involuntary context switches"},
      {[](auto& n) { n.migrations = 2000; }, "2,000 migrations to other CPUs"},
      {[](auto& n) { n.minor_faults = 123'456; }, "123,456 minor page faults"},
      {[](auto& n) { n.frequency_khz = 2'100'000; },
       "the CPU ran at 2.10 GHz, in the other runs at 3.40"}};
  for (const auto& [change, words] : witnesses) {
    const auto slow = [&change](model::RunDef& run) { change(run.noise); };
    const StatSide side = WithSlowRun(0.5, usual, slow);
    ASSERT_EQ(side.outliers.size(), 1U);
    EXPECT_THAT(side.outliers[0].causes, ElementsAre(words));
  }
}

TEST(Outliers, WhatIsUsualOrTooLittleExplainsNothing) {
  const auto usual = [](model::RunDef& run) {
    run.noise = {.wait_ns = 400'000'000, .involuntary_switches = 300, .minor_faults = 100};
  };
  const StatSide side = WithSlowRun(0.5, usual, [](model::RunDef& run) {
    run.noise.wait_ns = 410'000'000;       // as the others
    run.noise.involuntary_switches = 350;  // as the others
    run.noise.minor_faults = 2000;         // a few milliseconds at most
  });
  ASSERT_EQ(side.outliers.size(), 1U);
  EXPECT_THAT(side.outliers[0].causes, IsEmpty());
}

TEST(Outliers, UnknownWitnessesAndFastRunsExplainNothing) {
  const auto nothing = [](model::RunDef&) {};
  const StatSide unknown = WithSlowRun(0.5, nothing, nothing);
  ASSERT_EQ(unknown.outliers.size(), 1U);
  EXPECT_THAT(unknown.outliers[0].causes, IsEmpty());
  const StatSide fast = WithSlowRun(
      -0.5, [](model::RunDef& run) { run.noise.wait_ns = 0; },
      [](model::RunDef& run) { run.noise.wait_ns = 400'000'000; });
  ASSERT_EQ(fast.outliers.size(), 1U);
  EXPECT_THAT(fast.outliers[0].causes, IsEmpty());
}

TEST(Trust, TimesOfFewClockTicksAreNotJudged) {
  RunStream stream;
  stream.Side("a");
  for (const std::uint64_t ms : {1U, 5U, 60U}) {
    stream.Run(1, 0, [ms](model::RunDef& run) {
      run.user_ns = ms * 1'000'000;
      run.system_ns = ms * 10'000'000;
    });
  }
  for (const StatQuantity& line : BuildStatReport(stream.runs(), {}).sides[0].quantities) {
    ASSERT_TRUE(line.repeats);
    EXPECT_EQ(line.repeats->trust.has_value(), line.quantity.kind != QuantityKind::kUser)
        << line.quantity.name;
  }
}

// What perf prints as "percent running".
TEST(NotCounted, WhatWasNeverEnabledHasMissedNothing) {
  const auto share = [](std::optional<std::uint64_t> enabled_ns) {
    RunStream stream;
    stream.Side("a");
    const model::EventId clock = stream.Event(test::TaskClock());
    if (enabled_ns) stream.Read(clock, 0, {}, *enabled_ns, 0);
    stream.Run(1);
    const StatReport report = BuildStatReport(stream.runs(), {});
    EXPECT_EQ(report.sides[0].values[0].state, CountState::kNotCounted);
    return report.sides[0].values[0].counted_share;
  };
  EXPECT_EQ(share(std::nullopt), 1);
  EXPECT_EQ(share(0), 1);
  EXPECT_EQ(share(1000), 0);
}

TEST(Noise, SumsWhatIsKnownAndWarnsOfWhatIsLarge) {
  RunStream stream;
  stream.Side("a");
  for (const std::uint64_t wait_ns : {100'000'000U, 60'000'000U}) {
    stream.Run(1, 0, [wait_ns](model::RunDef& run) {
      run.noise = {.wait_ns = wait_ns, .major_faults = 1, .frequency_khz = wait_ns / 100};
    });
  }
  stream.Run(1);  // nothing known
  const NoiseLine noise = BuildStatReport(stream.runs(), {}).sides[0].noise;
  EXPECT_DOUBLE_EQ(noise.elapsed_s, 3);
  EXPECT_EQ(noise.total.wait_ns, 160'000'000U);
  EXPECT_EQ(noise.total.major_faults, 2U);
  EXPECT_EQ(noise.total.frequency_khz, 800'000U);
  EXPECT_EQ(noise.total.steal_ns, model::kNotKnown);
  ASSERT_EQ(noise.warnings.size(), 1u);
  EXPECT_EQ(noise.warnings[0].words, "waited 0.16 s for a CPU (5.3 % of the time)");
  EXPECT_EQ(noise.warnings[0].witness, &model::RunNoise::wait_ns);
}

TEST(Noise, ThreadsWaitForAShareOfTheTimeThatTheyCouldRun) {
  const auto warnings = [](std::uint64_t cpu_ns) {
    RunStream stream;
    stream.Side("a");
    stream.Run(1, 0, [cpu_ns](model::RunDef& run) {
      run.user_ns = cpu_ns;
      run.system_ns = 0;
      run.noise = {.wait_ns = 7'430'000'000, .wait_threads = 12};
    });
    std::vector<std::string> words;
    const StatReport report = BuildStatReport(stream.runs(), {});
    for (const auto& warning : report.sides[0].noise.warnings) words.push_back(warning.words);
    return words;
  };
  EXPECT_THAT(warnings(4'557'000'000),
              ElementsAre("12 threads waited 7.43 s for a CPU (62.0 % of the time that they could "
                          "run)"));
  EXPECT_THAT(warnings(model::kNotKnown), ElementsAre("12 threads waited 7.43 s for a CPU"));
  EXPECT_THAT(warnings(200'000'000'000), IsEmpty()) << "nobody noticed";
}

TEST(Noise, TimesInTicksNeedSeveralTicksToWarn) {
  const auto warnings = [](std::uint64_t other_cpu_ns) {
    RunStream stream;
    stream.Side("a");
    stream.Run(0.01, 0,
               [other_cpu_ns](model::RunDef& run) { run.noise.other_cpu_ns = other_cpu_ns; });
    return BuildStatReport(stream.runs(), {}).sides[0].noise.warnings.size();
  };
  EXPECT_EQ(warnings(20'000'000), 0U) << "a tick on each of two CPUs";
  EXPECT_EQ(warnings(40'000'000), 1U);
}

TEST(Verdicts, FewCpusUtilizedAreNoWaitingWhereOthersHadThem) {
  const auto verdicts = [](std::uint64_t wait_ns, std::uint64_t pressure_ns = 0) {
    RunStream stream;
    stream.Side("a");
    const model::EventId clock = stream.Event(test::TaskClock());
    stream.Read(clock, 200'000'000);
    stream.Run(1, 0, [=](model::RunDef& run) {
      run.noise = {.wait_ns = wait_ns, .cpu_pressure_ns = pressure_ns};
    });
    return BuildStatReport(stream.runs(), {}).sides[0].verdicts.size();
  };
  EXPECT_EQ(verdicts(0), 1U);
  EXPECT_EQ(verdicts(500'000'000), 0U);
  EXPECT_EQ(verdicts(0, 200'000'000), 1U);
  EXPECT_EQ(verdicts(0, 900'000'000), 0U) << "its children may have waited";
}

TEST(Refused, EventsWithTheSameReasonShareALine) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::Refused("cycles", "no PMU", true));
  stream.Event(test::Refused("x:y", "no permission"));
  stream.Event(test::Refused("instructions", "no PMU", true));
  stream.Run(1);
  const StatReport report = BuildStatReport(stream.runs(), {});
  ASSERT_EQ(report.refused.size(), 2U);
  EXPECT_THAT(report.refused[0].events, ElementsAre("cycles", "instructions"));
  EXPECT_EQ(report.refused[0].reason, "no PMU");
  EXPECT_EQ(report.refused[0].hint, "try another machine");
  EXPECT_TRUE(report.refused[0].all_default);
  EXPECT_FALSE(report.refused[1].all_default);
  for (const StatValue& value : report.sides[0].values) {
    EXPECT_EQ(value.state, CountState::kNotSupported);
  }
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Notes, RestrictionsSharingAndLossesAreSaidOnce) {
  RunStream stream;
  stream.Side("a");
  for (const char* name : {"page-faults:u", "minor-faults:u"}) {
    model::EventDesc event = PageFaults();
    event.name = name;
    event.restriction = "kernel.perf_event_paranoid is 2";
    stream.Event(event);
  }
  stream.Event(test::Cycles());
  stream.Event(test::Instructions());
  stream.Read(0, 1, {}, 100, 49);
  stream.Read(1, 1, {}, 100, 75);
  stream.Read(2, 0, {}, 100, 0);
  stream.Read(3, 0, {}, 0, 0);
  stream.Run(1);
  stream.Append(model::Loss{.count = 3});
  stream.Append(model::RecordingEnd{.notes = {"something was given up"}});
  const StatReport report = BuildStatReport(stream.runs(), {});
  EXPECT_THAT(
      report.notes,
      ElementsAre("counted in user space only: kernel.perf_event_paranoid is 2",
                  "2 events shared the counters: shown values are extrapolated from 49 to 75 % of "
                  "the time",
                  "not counted: cycles: no counter was free for as long as the target ran",
                  "not counted: instructions: nothing of the target ran while it was to be counted",
                  "3 records of the measurement could not be used: counts may be too low",
                  "something was given up"));
  EXPECT_THAT(BuildStatReport(stream.runs(), {.scale = false}).notes[1],
              HasSubstr("shown values are as counted during 49 to 75 %"));
}

TEST(StatReport, NothingMeasuredIsNoError) {
  EXPECT_THAT(BuildStatReport({}, {}).sides, IsEmpty());
  RunStream stream;
  stream.Side("a");
  stream.Side("b");
  stream.Event(PageFaults());
  const StatReport report = BuildStatReport(stream.runs(), {});
  ASSERT_EQ(report.sides.size(), 2U);
  EXPECT_EQ(report.sides[0].runs, 0U);
  EXPECT_EQ(report.sides[0].values[0].state, CountState::kNotCounted);
  EXPECT_THAT(report.sides[0].quantities, IsEmpty());
}

}  // namespace
}  // namespace prof::analysis::counts
