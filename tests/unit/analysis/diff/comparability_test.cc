// What makes recordings hard to compare, in words.
#include <gmock/gmock.h>

#include "unit/analysis/diff/diff_run.h"

namespace prof::analysis::diff {
namespace {

using test::kMs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What a recording says of itself, changed by each test.
struct Recorded {
  model::RecordingInfo info;
  model::EventDesc event{
      .name = "cycles", .mode = model::SamplingMode::kFrequency, .sampling_value = 997};
  model::RecordingEnd end{.sampling_begin_ns = 0, .sampling_end_ns = 1000 * kMs};
  std::vector<model::Loss> losses;
  int samples = 1000;
  std::string name;  // of the file; empty: that of its side
  bool complete = true;
  std::string module;  // whose code the samples are in
  bool unoptimized = false;
};

Profile Make(const Recorded& setup) {
  ProfileBuilder builder;
  const auto add = [&](const model::Record& record) {
    ASSERT_TRUE(builder.Append(record).has_value());
  };
  add(setup.info);
  add(model::EventDef{.id = 0, .event = setup.event});
  add(model::EpochBegin{});
  model::StackId stack = 0;
  if (!setup.module.empty()) {
    const model::Module module{
        .kind = model::ModuleKind::kElf, .path = setup.module, .build_id = {}};
    stack = model::kStackRootCount;
    add(model::ModuleDef{.id = 0, .module = module});
    add(model::StackNodeDef{.id = stack, .parent = 1, .frame = {.module = 0, .address = {0x10}}});
    add(model::ModuleSymbols{.module = module,
                             .detail = "",
                             .addresses = {{.address = {0x10},
                                            .function_start = {0x10},
                                            .frames = {{"f", "", 0, false}},
                                            .unoptimized = setup.unoptimized}}});
  }
  for (int i = 0; i < setup.samples; ++i) {
    add(model::Sample{.time_ns = static_cast<std::uint64_t>(i), .weight = 1, .stack = stack});
  }
  for (const model::Loss& loss : setup.losses) add(loss);
  add(setup.end);
  return builder.Build();
}

Comparability Compare(const std::vector<Recorded>& before, const std::vector<Recorded>& after) {
  Comparability comparability;
  const auto add = [&](Side side, const std::vector<Recorded>& setups, const char* name) {
    for (const Recorded& setup : setups) {
      const Profile profile = Make(setup);
      comparability.Add({.side = side,
                         .name = setup.name.empty() ? name : setup.name,
                         .profile = profile,
                         .complete = setup.complete});
    }
  };
  add(Side::kBefore, before, "b.data");
  add(Side::kAfter, after, "a.data");
  return comparability;
}

std::vector<std::string> Warnings(const std::vector<Recorded>& before,
                                  const std::vector<Recorded>& after) {
  return Compare(before, after).Warnings();
}

// 2 CPUs were sampled for a second; others used so much of it, the hypervisor took so much.
Recorded Loaded(double other, double steal = 0) {
  Recorded setup;
  setup.info.cpus_online = 2;
  setup.end.other_cpu_ns = static_cast<std::uint64_t>(other * 2e9);
  setup.end.steal_ns = static_cast<std::uint64_t>(steal * 2e9);
  return setup;
}

TEST(Comparability, EqualRecordingsHaveNone) { EXPECT_THAT(Warnings({{}}, {{}, {}}), IsEmpty()); }

TEST(Comparability, NamesWhatDiffersWithItsNumbers) {
  Recorded after;
  after.event.sampling_value = 99;
  after.info.cpus_online = 2;
  after.info.os_release = "6.2";
  after.info.cpu_model = "Xeon";  // before does not say
  Recorded before;
  before.info.cpus_online = 8;
  before.info.os_release = "6.1";
  EXPECT_THAT(
      Warnings({before}, {after}),
      ElementsAre("before was recorded at 997 Hz, after at 99 Hz",
                  "before had 8 CPUs online, after 2", "before: kernel 6.1, after: kernel 6.2"));
}

TEST(Comparability, ARestrictionComesBeforeTheMachine) {
  Recorded after;
  after.event.excludes_kernel = true;
  after.event.restriction = "perf_event_paranoid is 2";
  after.info.hostname = "b";
  Recorded before;
  before.info.hostname = "a";
  EXPECT_THAT(Warnings({before}, {after}),
              ElementsAre("before has samples of user and kernel code, after of user code only "
                          "(perf_event_paranoid is 2)",
                          "before: machine a, after: machine b"));
}

TEST(Comparability, AMixOnBothSidesIsSaid) {
  Recorded other;
  other.event.mode = model::SamplingMode::kPeriod;
  other.event.sampling_value = 5000;
  EXPECT_THAT(Warnings({{}, other}, {other}),
              ElementsAre("before was recorded at 997 Hz or a sample every 5000, after at a sample "
                          "every 5000"));
}

TEST(Comparability, ShortLossyAndCutRecordings) {
  Recorded cut;
  cut.complete = false;
  Recorded few;
  few.samples = 150;
  Recorded brief;
  brief.end.sampling_end_ns = 120 * kMs;
  EXPECT_THAT(Warnings({cut, few}, {brief}),
              ElementsAre("b.data was cut off: what came after its last complete block is missing",
                          "b.data has only 150 samples", "a.data lasted only 120 ms"));
  Recorded lossy;
  lossy.losses = {{.cause = model::LossCause::kKernelRing, .count = 250},
                  {.cause = model::LossCause::kStackCut, .count = 900},
                  {.cause = model::LossCause::kThrottled, .count = 1}};
  Recorded less;
  less.losses = {{.cause = model::LossCause::kQueueFull, .count = 9}};
  EXPECT_THAT(Warnings({lossy}, {less}),
              ElementsAre("b.data lacks 20.0 % of its samples: they were lost while recording",
                          "the kernel throttled sampling of b.data 1 time"));
}

TEST(Comparability, StacksAndExitStatus) {
  Recorded before;
  before.info.call_graph = model::CallGraphMode::kDwarf;
  Recorded after;
  after.end.exit_status = 139;
  EXPECT_THAT(Warnings({before}, {after}),
              ElementsAre("before has stacks by DWARF, after no stacks",
                          "before ended with status 0, after with 139"));
}

TEST(Comparability, LoadOnOneSideIsSaidWithBothNumbers) {
  const auto sentence = [](const char* before, const char* after) {
    return ElementsAre(std::string("other programs used ") + before +
                       " % of the machine while before was recorded, " + after +
                       " % while after was");
  };
  EXPECT_THAT(Warnings({Loaded(0.43)}, {Loaded(0.03)}), sentence("43", "3"));
  EXPECT_THAT(Warnings({Loaded(0.01)}, {Loaded(0.12)}), sentence("1", "12"));
  // Means of the runs.
  EXPECT_THAT(Warnings({Loaded(0.5), Loaded(0.1)}, {Loaded(0.1), Loaded(0.0)}),
              sentence("30", "5"));
}

TEST(Comparability, EqualSmallOrUnknownLoadIsNotSaid) {
  EXPECT_THAT(Warnings({Loaded(0.45)}, {Loaded(0.40)}), IsEmpty());
  EXPECT_THAT(Warnings({Loaded(0.05)}, {Loaded(0.09)}), IsEmpty());
  Recorded unknown = Loaded(0);
  unknown.end.other_cpu_ns = model::kNotKnown;
  EXPECT_THAT(Warnings({Loaded(0.9)}, {unknown}), IsEmpty());
  // A run that does not know it does not count.
  EXPECT_THAT(Warnings({Loaded(0.2), unknown}, {Loaded(0.15)}), IsEmpty());
}

TEST(Comparability, StealIsSaidFromTwoPercentOn) {
  EXPECT_THAT(Warnings({Loaded(0, 0.019)}, {Loaded(0, 0.01)}), IsEmpty());
  EXPECT_THAT(Warnings({Loaded(0, 0.05)}, {Loaded(0, 0.051)}),
              ElementsAre("the hypervisor took 5.0 % of the machine while before was recorded, 5.1 "
                          "% while after was"));
  Recorded unknown = Loaded(0);
  unknown.end.steal_ns = model::kNotKnown;
  EXPECT_THAT(Warnings({unknown}, {Loaded(0, 0.1)}),
              ElementsAre("the hypervisor took 10.0 % of the machine while after was recorded"));
}

TEST(Comparability, ADebugBuildOnOneSideIsAWarningOnBothANote) {
  Recorded debug;
  debug.module = "/build/debug/app";
  debug.unoptimized = true;
  Recorded release;
  release.module = "/usr/bin/app";
  const Comparability before = Compare({debug}, {release, release});
  EXPECT_THAT(before.Warnings(),
              ElementsAre("before: most of app was compiled without optimization (-O0)"));
  EXPECT_THAT(before.Notes(), IsEmpty());
  EXPECT_THAT(Warnings({release}, {debug}),
              ElementsAre("after: most of app was compiled without optimization (-O0)"));
  const Comparability both = Compare({debug}, {debug});
  EXPECT_THAT(both.Warnings(), IsEmpty());
  EXPECT_THAT(both.Notes(),
              ElementsAre("most of app was compiled without optimization (-O0) on both sides"));
  // Most runs of a side decide.
  EXPECT_THAT(Warnings({release, release, debug}, {release}), IsEmpty());
}

TEST(Comparability, ManySmallRecordingsAreOneLine) {
  const auto few = [](const char* name, int samples) {
    Recorded run;
    run.name = name;
    run.samples = samples;
    return run;
  };
  EXPECT_THAT(Warnings({few("b1", 90), few("b2", 120)}, {few("a1", 100), few("a2", 93), {}}),
              ElementsAre("4 of 5 recordings have only 90 to 120 samples"));
}

TEST(Comparability, TheSameFileTwiceIsSaidOnce) {
  Recorded few;
  few.samples = 3;
  EXPECT_THAT(Warnings({few, few}, {{}}), ElementsAre("b.data has only 3 samples"));
}

}  // namespace
}  // namespace prof::analysis::diff
