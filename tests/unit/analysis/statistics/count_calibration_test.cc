// Programs that did not change are hardly ever called changed, changes that were planted are found,
// and intervals cover the truth as often as they say: simulated recordings of 10 s at 997 Hz.
#include <gtest/gtest.h>

#include "unit/analysis/statistics/simulated_program.h"

#include "prof/analysis/statistics/count_changes.h"

namespace prof::analysis::statistics {
namespace {

using test::Random;
using test::Sides;
using test::SimulatedFunction;
using test::SimulatedProgram;
using test::SomeFunctions;

constexpr int kPairs = 200;
constexpr int kMostAlarms = 17;  // what a test at 5 % exceeds in 2 % of such experiments
constexpr double kSamples = 9970;

struct NamedProgram {
  const char* name;
  SimulatedProgram program;
};

std::vector<NamedProgram> Programs() {
  std::vector<NamedProgram> programs = {
      {"chance alone", {.functions = SomeFunctions(30, kSamples, 0)}},
      {"functions vary by 1 %", {.functions = SomeFunctions(30, kSamples, 0.01), .machine = 0.02}},
      {"functions vary by 5 %", {.functions = SomeFunctions(30, kSamples, 0.05), .machine = 0.02}},
      {"the machine varies by 5 %",
       {.functions = SomeFunctions(30, kSamples, 0.01), .machine = 0.05}},
      {"bursts that last",
       {.functions = SomeFunctions(30, kSamples, 0.02), .blocks_vary = 0.3, .blocks_hang = 0.7}},
      {"runs with outliers",
       {.functions = SomeFunctions(30, kSamples, 0.02), .machine = 0.02, .outlier_chance = 0.1}}};
  SimulatedProgram phases{.functions = SomeFunctions(30, kSamples, 0.02), .machine = 0.02};
  for (std::size_t i = 0; i < 30; ++i) {
    (i % 2 == 0 ? phases.functions[i].end : phases.functions[i].begin) = 0.5;
  }
  programs.push_back({"phases", phases});
  // A clock samples what runs all the time more evenly than chance would.
  SimulatedProgram tiny{.functions = std::vector<SimulatedFunction>(50, {.mean = 10}),
                        .machine = 0.02};
  tiny.functions[0] = {.mean = 0.95 * kSamples, .variation = 0.01, .jitter = 0.1};
  programs.push_back({"a huge function and tiny ones", tiny});
  return programs;
}

struct Trials {
  int alarms = 0;
  double covered = 0;
  double intervals = 0;
};

Trials RunAgainstItself(const SimulatedProgram& program, std::size_t runs, CountUnits units,
                        std::uint64_t seed) {
  Random random(seed);
  Trials trials;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Sides sides(program, runs, program, runs, units, random);
    const CountChanges changes = *TestCountChanges(sides.items(), {.units = units});
    bool alarm = false;
    for (const CountChange& change : changes.items) {
      alarm = alarm || change.significant;
      trials.covered += change.interval.Contains(0) ? 1 : 0;
      trials.intervals += 1;
    }
    trials.alarms += alarm ? 1 : 0;
  }
  return trials;
}

// Items of one run vary together, so intervals are not independent: half a percent of slack.
constexpr double kLeastCovered = 0.945;

TEST(CountCalibration, SingleRunsOfOneProgramAreHardlyEverCalledChanged) {
  for (const NamedProgram& named : Programs()) {
    const Trials trials = RunAgainstItself(named.program, 1, CountUnits::kBlocks, 61);
    // Two runs alone cannot know of outliers.
    if (named.program.outlier_chance == 0) {
      EXPECT_LE(trials.alarms, kMostAlarms) << named.name;
    }
    EXPECT_GE(trials.covered / trials.intervals, kLeastCovered) << named.name;
  }
}

TEST(CountCalibration, SeveralRunsOfOneProgramAreHardlyEverCalledChanged) {
  for (const std::size_t runs : {2, 3, 6}) {
    for (const NamedProgram& named : Programs()) {
      const Trials trials = RunAgainstItself(named.program, runs, CountUnits::kRuns, 62);
      EXPECT_LE(trials.alarms, kMostAlarms) << named.name << ", " << runs << " runs";
      EXPECT_GE(trials.covered / trials.intervals, kLeastCovered)
          << named.name << ", " << runs << " runs";
    }
  }
}

struct Found {
  int right = 0;
  int covered = 0;
};

// `share` of all samples more in the eighth of 30 functions, which has about 3.5 % of them.
Found RunPlanted(double share, std::size_t runs, CountUnits units, int trials, Random& random) {
  constexpr std::size_t kPlanted = 7;
  const SimulatedProgram before{.functions = SomeFunctions(30, kSamples, 0.02), .machine = 0.02};
  SimulatedProgram after = before;
  after.functions[kPlanted].mean += share * kSamples;
  Found found;
  for (int trial = 0; trial < trials; ++trial) {
    const Sides sides(before, runs, after, runs, units, random);
    const CountChange change = TestCountChanges(sides.items(), {.units = units})->items[kPlanted];
    found.right += change.significant && change.delta > 0 ? 1 : 0;
    found.covered += change.interval.Contains(share * kSamples) ? 1 : 0;
  }
  return found;
}

TEST(CountCalibration, PlantedChangesAreFound) {
  constexpr int kTrials = 30;
  Random random(63);
  int covered = 0;
  for (const double share : {0.02, 0.05, 0.2}) {
    const Found found = RunPlanted(share, 10, CountUnits::kRuns, kTrials, random);
    EXPECT_EQ(found.right, kTrials) << share;
    covered += found.covered;
  }
  EXPECT_TRUE(test::WithinBinomial(covered, 3 * kTrials, 0.95)) << covered;
}

TEST(CountCalibration, PlantedChangesAreFoundInSingleAndFewRuns) {
  constexpr int kTrials = 60;
  Random random(64);
  EXPECT_EQ(RunPlanted(0.05, 3, CountUnits::kRuns, kTrials, random).right, kTrials);
  const Found found = RunPlanted(0.05, 1, CountUnits::kBlocks, kTrials, random);
  EXPECT_GE(found.right, kTrials * 9 / 10);
  EXPECT_GE(found.covered, kTrials * 9 / 10);
}

}  // namespace
}  // namespace prof::analysis::statistics
