// Amounts, verdicts, events and errors of whole diffs.
#include <gmock/gmock.h>

#include <cmath>

#include "unit/analysis/diff/diff_run.h"

namespace prof::analysis::diff {
namespace {

using test::Diff;
using test::FindRow;
using test::kMs;
using test::Pair;
using test::RunMaker;
using test::Sides;
using test::TryDiff;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Profile RunOf(int f, int g, double seconds = 1) {
  RunMaker run;
  run.Add({"main", "f"}, f, seconds).Add({"main", "g"}, g, seconds);
  return run.Build();
}

Sides Repeated(const std::vector<int>& before, const std::vector<int>& after) {
  Sides sides;
  for (const int f : before) sides.before.push_back(RunOf(f, 100));
  for (const int f : after) sides.after.push_back(RunOf(f, 100));
  return sides;
}

TEST(DiffBuilder, AmountsAreMeansOfRunsInSeconds) {
  const ProfileDiff diff = Diff(Repeated({100, 120}, {300, 310, 320}));
  const EventDiff& event = diff.events.front();
  EXPECT_THAT(event.before.runs, ElementsAre(0.200, 0.220));
  EXPECT_DOUBLE_EQ(event.total.change.before, 0.210);
  EXPECT_DOUBLE_EQ(event.total.change.after, 0.410);
  const DiffRow& f = event.rows.front();
  EXPECT_THAT(f.keys, ElementsAre("app", "f"));
  EXPECT_DOUBLE_EQ(f.self.before, 0.110);
  EXPECT_DOUBLE_EQ(f.self.after, 0.310);
  EXPECT_EQ(f.self.before_samples, 220U);
  EXPECT_EQ(f.self.after_samples, 930U);
  EXPECT_TRUE(f.self.IsSignificant());
  const DiffRow* main = FindRow(event, "app|main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->self.before, 0);
  EXPECT_FALSE(main->self.test.has_value());
  EXPECT_DOUBLE_EQ(main->children.after, 0.410);
  EXPECT_TRUE(main->children.test.has_value());
  EXPECT_EQ(event.units, statistics::CountUnits::kRuns);
}

TEST(DiffBuilder, OneRunASideIsTestedByBlocksAndSaysHowManyRunsTheTotalTakes) {
  // How far runs differ anyway is guessed from the functions that did not change.
  const auto run = [](int changed) {
    RunMaker result;
    result.Add({"changed"}, changed);
    for (int i = 0; i < 30; ++i) result.Add({"same" + std::to_string(i)}, 200);
    return result.Build();
  };
  Sides sides;
  sides.before.push_back(run(400));
  sides.after.push_back(run(900));
  const ProfileDiff diff = Diff(sides);
  const EventDiff& event = diff.events.front();
  EXPECT_EQ(event.units, statistics::CountUnits::kBlocks);
  EXPECT_EQ(event.rows.front().keys.back(), "changed");
  ASSERT_TRUE(event.rows.front().self.test.has_value());
  EXPECT_TRUE(event.rows.front().self.IsSignificant());
  EXPECT_EQ(event.total.verdict, TotalVerdict::kTooFewRuns);
  EXPECT_FALSE(event.total.change.test.has_value());
  EXPECT_FALSE(event.total.share.has_value());
  EXPECT_EQ(event.total.runs_needed, 4U);
  EXPECT_FALSE(IsSlowerBy(diff, 1));
}

TEST(DiffBuilder, ThreeRunsASideCannotReachAlpha) {
  const ProfileDiff diff = Diff(Repeated({100, 101, 102}, {200, 201, 202}));
  const TotalChange& total = diff.events.front().total;
  EXPECT_EQ(total.verdict, TotalVerdict::kTooFewRuns);
  EXPECT_DOUBLE_EQ(total.smallest_p, 0.1);
  ASSERT_TRUE(total.change.test.has_value());
  EXPECT_GT(total.change.test->interval.low, 0.08);
  EXPECT_FALSE(IsSlowerBy(diff, 1));
}

TEST(DiffBuilder, FourRunsASideDecide) {
  const ProfileDiff diff = Diff(Repeated({100, 101, 102, 103}, {120, 121, 122, 123}));
  const TotalChange& total = diff.events.front().total;
  EXPECT_EQ(total.verdict, TotalVerdict::kHigher);
  ASSERT_TRUE(total.share.has_value());
  EXPECT_NEAR(*total.share, 20.0 / 201.5, 1e-12);
  // What the permutation test does not refute: it holds the difference and not zero.
  EXPECT_GT(total.share_interval->low, 0);
  EXPECT_LT(total.share_interval->low, *total.share);
  EXPECT_GT(total.share_interval->high, *total.share);
  EXPECT_TRUE(IsSlowerBy(diff, 9));
  EXPECT_FALSE(IsSlowerBy(diff, 10));
}

TEST(DiffBuilder, IntervalOfTheTotalIsWhatThePermutationTestLeaves) {
  // Shifts of 17 to 23 ms, found by moving every value of the after side, and 1.96 times the error
  // of means of four runs that are known to a sample: 0.69 ms.
  const ProfileDiff diff = Diff(Repeated({100, 101, 102, 103}, {120, 121, 122, 123}));
  const auto interval = diff.events.front().total.change.test->interval;
  EXPECT_NEAR(interval.low, 0.020 - std::hypot(0.003, 0.000693), 1e-6);
  EXPECT_NEAR(interval.high, 0.020 + std::hypot(0.003, 0.000693), 1e-6);
}

// At low rates runs agree to the sample, and yet nobody knows their CPU time any better.
TEST(DiffBuilder, RunsOfEqualSamplesAreNotKnownExactly) {
  const auto run = [](int samples) {
    RunMaker maker;
    maker.Add({"f"}, samples, 1, 20 * kMs);
    return maker.Build();
  };
  Sides sides;
  for (int i = 0; i < 5; ++i) {
    sides.before.push_back(run(18));
    sides.after.push_back(run(20));
  }
  const TotalChange total = Diff(sides).events.front().total;
  EXPECT_EQ(total.verdict, TotalVerdict::kHigher);
  ASSERT_TRUE(total.share_interval.has_value());
  EXPECT_NEAR(*total.share, 0.111, 0.001);
  EXPECT_NEAR(total.share_interval->Width(), 0.069, 0.001);
}

TEST(DiffBuilder, EqualRunsShowNothing) {
  const ProfileDiff diff = Diff(Repeated({100, 101, 102, 103}, {100, 101, 102, 103}));
  const TotalChange& total = diff.events.front().total;
  EXPECT_EQ(total.verdict, TotalVerdict::kNoDifferenceShown);
  EXPECT_EQ(*total.share, 0);
  ASSERT_TRUE(total.detectable_share.has_value());
  EXPECT_LT(*total.detectable_share, 0.03);
}

TEST(DiffBuilder, NoisyRunsAreCalledSo) {
  const ProfileDiff diff =
      Diff(Repeated({100, 180, 100, 105, 190, 100}, {100, 105, 200, 101, 103, 190}));
  const TotalChange& total = diff.events.front().total;
  EXPECT_EQ(total.verdict, TotalVerdict::kTooNoisy);
  EXPECT_THAT(total.noise, Contains(HasSubstr("varies by")));
}

TEST(DiffBuilder, ScarceRowsAreAddedUp) {
  const auto diff = [](std::uint64_t fewest) {
    RunMaker before;
    before.Add({"main", "f"}, 100).Add({"main", "rare"}, 4).Add({"other"}, 3);
    RunMaker after;
    after.Add({"main", "f"}, 100).Add({"main", "rare"}, 5);
    DiffOptions options;
    options.fewest_samples = fewest;
    return Diff(Pair(before, after), options).events.front();
  };
  const EventDiff event = diff(kFewestSamples);
  EXPECT_EQ(event.scarce_rows, 2U);
  EXPECT_DOUBLE_EQ(event.scarce.before, 0.007);
  EXPECT_DOUBLE_EQ(event.scarce.after, 0.005);
  EXPECT_EQ(event.scarce.before_samples, 7U);
  EXPECT_EQ(FindRow(event, "app|rare"), nullptr);

  const EventDiff all = diff(1);
  EXPECT_EQ(all.scarce_rows, 0U);
  ASSERT_NE(FindRow(all, "app|rare"), nullptr);
  EXPECT_FALSE(FindRow(all, "app|rare")->self.test.has_value());
}

// 4 % of the time, where user code shows less as a change: the machine's other load decides on it.
TEST(DiffBuilder, KernelCodeNeedsALargerChange) {
  const auto fill = [](RunMaker& run, int busy) {
    run.Add({"app"}, 1000);
    for (int f = 0; f < 20; ++f) run.Add({"f" + std::to_string(f)}, 150);
    run.Add({"user"}, busy);
    run.Module("[kernel.kallsyms]", model::ModuleKind::kKernel);
    run.Add({"[kernel.kallsyms]:kernel"}, busy);
  };
  RunMaker before;
  RunMaker after;
  fill(before, 60);
  fill(after, 120);
  const EventDiff event = Diff(Pair(before, after)).events.front();
  const DiffRow* user = FindRow(event, "app|user");
  const DiffRow* kernel = FindRow(event, "[kernel.kallsyms]|kernel");
  ASSERT_NE(user, nullptr);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->level, 'k');
  EXPECT_GT(kernel->self.test->p, user->self.test->p);
  EXPECT_GT(kernel->self.test->interval.Width(), user->self.test->interval.Width());
}

TEST(DiffBuilder, AttachedRecordingsCountPerSecond) {
  const auto run = [](int count, double seconds) {
    RunMaker result;
    model::RecordingInfo info;
    info.target = model::TargetKind::kProcesses;
    result.stream().Add(info);
    result.Add({"f"}, count, seconds);
    model::RecordingEnd end;
    end.sampling_begin_ns = 1000;
    end.sampling_end_ns = 1000 + static_cast<std::uint64_t>(seconds * 1e9);
    result.stream().Add(end);
    return result.Build();
  };
  Sides sides;
  sides.before.push_back(run(500, 1));
  sides.after.push_back(run(1000, 4));
  const ProfileDiff diff = Diff(sides);
  const EventDiff& event = diff.events.front();
  EXPECT_TRUE(event.unit.per_second);
  EXPECT_DOUBLE_EQ(event.rows.front().self.before, 0.5);
  EXPECT_DOUBLE_EQ(event.rows.front().self.after, 0.25);
  EXPECT_DOUBLE_EQ(diff.runs.back().seconds, 4);
  sides.after.push_back(RunOf(50, 50));
  EXPECT_THAT(Diff(sides).warnings, Contains(HasSubstr("per second of wall time")));
}

TEST(DiffBuilder, FiltersLeaveOutSamplesOfBothSides) {
  DiffOptions options;
  options.filter.symbols = {"f"};
  Sides sides = Repeated({100}, {200});
  const EventDiff event = Diff(sides, options).events.front();
  EXPECT_EQ(event.filtered_samples, 200U);
  EXPECT_DOUBLE_EQ(event.total.change.before, 0.1);
  options.filter.symbols = {"nothing"};
  const auto none = TryDiff(sides, options);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kBadData);
}

TEST(DiffBuilder, ASideWithoutSamplesAfterAFilterIsZero) {
  RunMaker before;
  before.Add({"f"}, 50);
  RunMaker after;
  after.Add({"g"}, 50);
  DiffOptions options;
  options.filter.symbols = {"g"};
  const EventDiff event = Diff(Pair(before, after), options).events.front();
  EXPECT_EQ(event.total.change.before, 0);
  ASSERT_EQ(event.rows.size(), 1U);
  EXPECT_EQ(event.rows.front().presence, Presence::kAppeared);
  EXPECT_FALSE(event.total.share.has_value());
}

TEST(DiffBuilder, TimesAreEachRecordingsOwn) {
  const Profile before = RunOf(100, 100, 1);
  const Profile after = RunOf(100, 100, 1);
  DiffBuilder builder({});
  ASSERT_TRUE(
      builder
          .Add({.side = Side::kBefore, .name = "b", .profile = before, .time_end_ns = 500'000'000})
          .has_value());
  ASSERT_TRUE(builder.Add({.side = Side::kAfter, .name = "a", .profile = after}).has_value());
  const auto diff = builder.Build();
  ASSERT_TRUE(diff.has_value());
  EXPECT_DOUBLE_EQ(diff->events.front().total.change.before, 0.1);
  EXPECT_DOUBLE_EQ(diff->events.front().total.change.after, 0.2);
}

TEST(DiffBuilder, EventsInCommonAreCompared) {
  const auto run = [](const std::string& second, bool with_clock = true) {
    RunMaker result;
    const auto event = result.stream().AddEvent(second);
    if (with_clock) result.Add({"f"}, 20);
    result.stream().Sample(result.thread(), result.stream().Stack(result.Module("/x"), {1}), 1, 1,
                           0, event);
    return result.Build();
  };
  Sides sides;
  sides.before.push_back(run("faults"));
  sides.after.push_back(run("switches"));
  const ProfileDiff diff = Diff(sides);
  ASSERT_EQ(diff.events.size(), 1U);
  EXPECT_EQ(diff.events.front().event.name, "cpu-clock");
  EXPECT_THAT(diff.warnings, Contains("'faults' is left out: only before has it"));
  EXPECT_THAT(diff.warnings, Contains("'switches' is left out: only after has it"));
  DiffOptions options;
  options.events = {"faults", "switches"};
  const auto none = TryDiff(sides, options);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kBadData);
  EXPECT_THAT(none.error().message, HasSubstr("before has faults; after has switches"));
}

TEST(DiffBuilder, RefusesWhatCannotBeCompared) {
  Sides sides;
  sides.before.push_back(RunMaker().Build());
  sides.after.push_back(RunOf(10, 10));
  auto empty = TryDiff(sides);
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().message, "b1 has no samples");
  sides.before.clear();
  const auto one_sided = TryDiff(sides);
  ASSERT_FALSE(one_sided.has_value());
  EXPECT_EQ(one_sided.error().kind, ErrorKind::kUsage);
  sides.before.push_back(RunOf(10, 10));
  DiffOptions options;
  options.events = {"instructions"};
  const auto no_event = TryDiff(sides, options);
  ASSERT_FALSE(no_event.has_value());
  EXPECT_EQ(no_event.error().hint, "it has those of cpu-clock");
  options = {};
  options.parent_regex = "(";
  EXPECT_EQ(TryDiff(sides, options).error().kind, ErrorKind::kUsage);
  options = {};
  options.keys = {SortKey::kTime};
  EXPECT_EQ(TryDiff(sides, options).error().kind, ErrorKind::kUsage);
}

TEST(DiffBuilder, ARecordingIsOneRunOfItsSide) {
  RunMaker run;
  model::RecordingInfo info;
  info.boot_id = "b";
  info.start.monotonic_ns = 5;
  run.stream().Add(info);
  run.Add({"f"}, 20);
  const Profile profile = run.Build();
  DiffBuilder builder{DiffOptions()};
  EXPECT_TRUE(builder.Add({.side = Side::kBefore, .name = "a", .profile = profile}));
  EXPECT_TRUE(builder.Add({.side = Side::kAfter, .name = "a", .profile = profile}));
  const Status twice = builder.Add({.side = Side::kAfter, .name = "copy", .profile = profile});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(twice.error().message, HasSubstr("copy is the same recording as a"));
}

TEST(DiffBuilder, WeightsBeyondReasonAreRefused) {
  RunMaker before;
  before.Add({"f"}, 5, 1, ~std::uint64_t{0} / 2);
  RunMaker after;
  after.Add({"f"}, 5);
  const auto diff = TryDiff(Pair(before, after));
  ASSERT_FALSE(diff.has_value());
  EXPECT_EQ(diff.error().kind, ErrorKind::kBadData);
  RunMaker large;
  large.Add({"f"}, 100, 1, std::uint64_t{1} << 54);
  RunMaker small;
  small.Add({"f"}, 100, 1, 0);
  EXPECT_GT(Diff(Pair(small, large)).events.front().total.change.after, 1e9);
}

TEST(DiffBuilder, OneSampleASideIsNoDifference) {
  RunMaker before;
  before.Add({"f"}, 1);
  RunMaker after;
  after.Add({"g"}, 1);
  const ProfileDiff diff = Diff(Pair(before, after));
  EXPECT_TRUE(diff.events.front().rows.empty());
  EXPECT_EQ(diff.events.front().scarce_rows, 2U);
  EXPECT_THAT(diff.warnings, Contains("b1 has only 1 sample"));
}

TEST(DiffBuilder, SamplesWithoutTimesAreCountedButNotTested) {
  const auto run = [] {
    RunMaker result;
    const auto stack = result.stream().Stack(result.Module("/bin/app"), {0x10});
    for (int i = 0; i < 50; ++i) {
      result.stream().Sample(result.thread(), stack, kMs, model::kUnknownTime);
    }
    return result.Build();
  };
  Sides sides;
  sides.before.push_back(run());
  sides.after.push_back(run());
  const ProfileDiff diff = Diff(sides);
  EXPECT_DOUBLE_EQ(diff.events.front().rows.front().self.before, 0.05);
  EXPECT_FALSE(diff.events.front().rows.front().self.test.has_value());
  EXPECT_THAT(diff.notes, Contains(HasSubstr("have no times")));
  sides.after.push_back(run());
  EXPECT_TRUE(Diff(sides).events.front().rows.front().self.test.has_value());
}

TEST(DiffBuilder, StacksOfOneSideAloneMakeNoChildren) {
  RunMaker before;
  before.Add({"main", "f"}, 50);
  RunMaker after;
  const auto app = after.Module("/bin/app");
  after.stream().Symbol(app, 0x10, "f");
  for (int i = 0; i < 50; ++i) {
    after.stream().Sample(after.thread(),
                          after.stream().Stack(app, {0x10}, model::StackEnd::kNotWalked), kMs, i);
  }
  const EventDiff event = Diff(Pair(before, after)).events.front();
  EXPECT_FALSE(event.walked);
  ASSERT_EQ(event.rows.size(), 1U);
  EXPECT_EQ(event.rows.front().children.before, event.rows.front().self.before);
}

TEST(DiffBuilder, TheSameBuildIsSaid) {
  const auto run = [](char build) {
    RunMaker result;
    model::RecordingInfo info;
    info.target_command = {"./srv", "-x"};
    result.stream().Add(info);
    model::ModuleDef def;
    def.id = 0;
    def.module.kind = model::ModuleKind::kElf;
    def.module.path = "/opt/srv";
    const std::array bytes = {std::byte(build), std::byte(2), std::byte(3), std::byte(4)};
    def.module.build_id = model::BuildId(bytes);
    result.stream().Add(def);
    const auto stack = result.stream().Stack(0, {0x10});
    for (int i = 0; i < 20; ++i) result.stream().Sample(result.thread(), stack, kMs, i);
    return result.Build();
  };
  Sides sides;
  sides.before.push_back(run(1));
  sides.after.push_back(run(1));
  EXPECT_THAT(Diff(sides).notes,
              Contains("srv is the same build on both sides (build ID 01020304)"));
  sides.after[0] = run(9);
  EXPECT_THAT(Diff(sides).notes, Not(Contains(HasSubstr("same build"))));
}

}  // namespace
}  // namespace prof::analysis::diff
